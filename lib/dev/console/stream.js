/** API Gateway closes idle connections after ten minutes. */
const pingEveryMs = 4 * 60 * 1000;

/** Connects with the token as a subprotocol, the only header that a page can set. */
export function openStream(url, token, { onOpen, onMessage, onClose }) {
  if (!token) throw new Error("Sign in first");
  const socket = new WebSocket(url, ["access_token", token]);
  let pings;
  socket.addEventListener("open", () => {
    pings = setInterval(() => send({ type: "ping" }), pingEveryMs);
    onOpen();
  });
  socket.addEventListener("message", ({ data }) => onMessage(JSON.parse(data)));
  socket.addEventListener("close", ({ code, reason }) => {
    clearInterval(pings);
    onClose(code, reason);
  });

  const send = (message) => socket.send(JSON.stringify(message));
  return { send, close: () => socket.close(1000) };
}
