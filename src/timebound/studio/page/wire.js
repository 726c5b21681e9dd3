// The connection to the server.

export class Wire {
  constructor(heard) {
    this.heard = heard;
    this.open();
  }

  open() {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = event => {
      if (typeof event.data === "string") this.heard.message(JSON.parse(event.data));
      else this.heard.records(event.data);
    };
    this.socket.onclose = event => this.heard.closed(event.reason);
  }

  say(word, more = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ do: word, ...more }));
  }
}
