"""The library without Python: agents as a C library, made of the same machine code.

`moulds` finds out what agents are made of, by making some, and describes it for C. `doors` has the compiled functions
that the C library calls. `units` collects their LLVM code and turns it into object files for a platform. `tables`
writes what C must know, and `building` links all of it with the sources in `c`.
"""
