// Start the page: replay the trace that it contains, or connect to the server.

import { $ } from "./dom.js";
import { Studio } from "./studio.js";
import { firstTheme } from "./theme.js";
import { Wire } from "./wire.js";

firstTheme();
if ($("trace")) replay();
else connect();

function replay() {
  const studio = (window.studio = new Studio(JSON.parse($("hello").textContent)));
  studio.alone = true;
  document.body.classList.add("alone");
  for (const label of document.querySelectorAll(".tools label")) label.hidden = true;
  $("panel").hidden = $("link").hidden = true;
  studio.replay(JSON.parse($("trace").textContent)).catch(error => studio.notice(error.message, true, true));
}

function connect() {
  addEventListener("hashchange", () => location.reload()); // a link that was pasted into the address of this page
  const wire = new Wire({
    message: message => {
      if (message.say !== "hello") return window.studio.message(message);
      window.studio = new Studio(message);
      window.studio.connect(wire);
    },
    records: buffer => window.studio?.records(buffer),
    closed: reason => {
      if (window.studio) window.studio.closed(reason);
      else $("scene").textContent = reason || "the studio does not answer; start it again and reload this page";
    },
  });
}
