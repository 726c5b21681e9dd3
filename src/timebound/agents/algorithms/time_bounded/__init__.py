"""The time-bounded family: TBA*, RTBA*, TBAA*, TB(WA*), TB(GBFS) and TBR(WA*) in `tbaa`; the shortcut apart."""
