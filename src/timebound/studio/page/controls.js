// Buttons, keys, tabs and dropped files.

import { $, make } from "./dom.js";
import { layerForm } from "./layers.js";
import { SPEEDS } from "./player.js";
import { toggleTheme } from "./theme.js";

const TYPING = "input:not([type=range]):not([type=radio]), select, textarea";

export class Controls {
  constructor(studio) {
    this.studio = studio;
    this.#transport(studio.player);
    this.#view();
    this.#crowd();
    for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => this.choose(tab));
    document.addEventListener("keydown", event => this.#key(event));
    this.#dropping();
    this.layers();
  }

  #on(id, action) { $(id).addEventListener("click", action); }

  #transport(player) {
    this.#on("play", () => player.play());
    this.#on("first", () => { player.playing = false; player.go(0); });
    this.#on("back", () => player.step(-1));
    this.#on("next", () => player.step(1));
    this.#on("end", () => player.go(player.last));
    $("scrub").addEventListener("input", event => { player.playing = false; player.go(Number(event.target.value)); });
    $("speed").append(...SPEEDS.map(speed => make("option", { value: String(speed) }, `${speed} / s`)));
    $("speed").addEventListener("change", event => { player.speed = Number(event.target.value); });
    this.speed(30);
  }

  #crowd() {
    this.#on("storm", () => this.studio.storm());
    $("astar").addEventListener("change", event => this.studio.tune({ astar: event.target.checked }));
  }

  #view() {
    this.#on("fit", () => { this.studio.camera.fitted = true; this.studio.refit(); });
    this.#on("zoomin", () => this.#zoom(1.5));
    this.#on("zoomout", () => this.#zoom(1 / 1.5));
    this.#on("theme", toggleTheme);
    this.#on("panel", () => {
      const alone = document.body.classList.toggle("alone");
      $("panel").setAttribute("aria-expanded", String(!alone));
    });
    for (const radio of document.getElementsByName("tool")) radio.addEventListener("change", () => this.#tool(radio.value));
  }

  speed(speed) {
    this.studio.player.speed = speed;
    $("speed").value = String(speed);
  }

  layers() {
    const { studio } = this;
    layerForm($("layers"), studio.layers, studio.hello.palette, () => {
      for (const { view } of studio.panels.list) view.painter?.all();
      studio.stale = true;
    });
  }

  choose(tab) {
    for (const each of document.querySelectorAll("[role=tab]")) {
      each.setAttribute("aria-selected", String(each === tab));
      $(each.getAttribute("aria-controls")).hidden = each !== tab;
    }
  }

  #zoom(factor) {
    const { studio } = this, { clientWidth, clientHeight } = studio.panels.list[0].canvas;
    studio.camera.zoom(factor, clientWidth / 2, clientHeight / 2);
    studio.stale = true;
  }

  #tool(tool) {
    this.studio.tools.tool = tool;
    for (const { canvas } of this.studio.panels.list) canvas.classList.toggle("drawing", tool !== "hand");
    for (const radio of document.getElementsByName("tool")) radio.checked = radio.value === tool;
  }

  #key(event) {
    const { player, ground } = this.studio;
    if (!ground || event.target.closest?.(TYPING) || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowLeft: () => player.step(-1), ArrowRight: () => player.step(1), Home: () => player.go(0), End: () => player.go(player.last),
      h: () => this.#tool("hand"), w: () => this.#tool("wall"), e: () => this.#tool("ground"), m: () => this.#tool("mud"),
      g: () => this.studio.storm(), a: () => this.studio.race?.crowd && $("astar").click(),
      f: () => $("fit").click(), "+": () => this.#zoom(1.5), "-": () => this.#zoom(1 / 1.5),
    };
    if (!event.target.closest?.("button, summary, label")) keys[" "] = () => player.play();
    const action = keys[event.key];
    if (action) { event.preventDefault(); action(); }
  }

  #dropping() {
    const drop = $("drop");
    document.addEventListener("dragover", event => { event.preventDefault(); drop.hidden = false; });
    drop.addEventListener("dragleave", () => { drop.hidden = true; });
    document.addEventListener("drop", event => {
      event.preventDefault();
      drop.hidden = true;
      if (event.dataTransfer.files[0]) this.studio.open(event.dataTransfer.files[0]);
    });
  }
}
