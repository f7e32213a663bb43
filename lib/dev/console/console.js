import { call, localToken, readForm } from "./operations.js";
import { showPrices } from "./prices.js";
import { openStream } from "./stream.js";

/** In memory only: nothing outlives the page. */
let token;
let stream;

const element = (id) => document.getElementById(id);
const show = (id, text, problem = false) => {
  element(id).textContent = text;
  element(id).classList.toggle("problem", problem);
};

/** Submits with a function, and shows its error in the output of that id. */
function onSubmit(form, problemOutput, submit) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await submit(form, event.submitter);
    } catch (error) {
      show(problemOutput, error.message, true);
    }
  });
}

onSubmit(element("sign-in"), "who", async ({ elements }) => {
  const user = elements.user.value;
  token = await localToken(user);
  show("who", `Signed in as ${user}`);
});

onSubmit(element("paste"), "who", async ({ elements }) => {
  token = elements.token.value.trim();
  elements.token.value = "";
  show("who", "Signed in with the pasted token");
});

for (const form of document.querySelectorAll("form.operation"))
  onSubmit(form, "status", async () => {
    const request = readForm(form);
    // A private key leaves the page as soon as it is read for sending.
    for (const input of form.querySelectorAll("input[type=password]")) input.value = "";
    const { status, milliseconds, body } = await call(request, token);
    show("status", `${request.method} ${request.path}: ${status} in ${milliseconds} ms`, status >= 400);
    show("answer", body);
  });

element("connect").addEventListener("click", async () => {
  try {
    const { outputs } = await (await fetch("/_local/outputs")).json();
    show("connection", "Connecting");
    stream = openStream(outputs.StreamUrl, token, { onOpen, onMessage, onClose });
  } catch (error) {
    show("connection", error.message, true);
  }
});

element("disconnect").addEventListener("click", () => stream?.close());

onSubmit(element("channels"), "connection", async (form, submitter) => {
  const channels = new FormData(form).getAll("channel");
  const type = submitter.value;
  const message = { type, id: crypto.randomUUID().slice(0, 8), ...(type !== "ping" && { channels }) };
  stream.send(message);
  log(message, "sent");
});

function onOpen() {
  show("connection", "Connected");
  enable(true);
}

function onClose(code, reason) {
  show("connection", `Closed with ${code}${reason && `: ${reason}`}`, code !== 1000);
  show("subscriptions", "nothing");
  enable(false);
}

function onMessage(message) {
  if (message.type === "subscriptions") show("subscriptions", message.channels.join(", ") || "nothing");
  if (message.channel === "prices") showPrices(message.data, element("prices"), element("chart"));
  log(message, message.type === "error" ? "problem" : "received");
}

function enable(connected) {
  element("connect").disabled = connected;
  element("disconnect").disabled = !connected;
  for (const button of element("channels").querySelectorAll("button")) button.disabled = !connected;
}

/** Shows a message above the others. The newest hundred stay. */
function log(message, className) {
  const item = document.createElement("li");
  item.className = className;
  item.textContent = `${className === "sent" ? "→" : "←"} ${JSON.stringify(message)}`;
  const list = element("messages");
  list.prepend(item);
  while (list.childElementCount > 100) list.lastElementChild.remove();
}
