import { execFile } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocketServer } from "ws";
import { welcome } from "../../lib/dev/welcome.ts";

const service = {
  baseUrl: "http://127.0.0.1:3000",
  streamUrl: "ws://127.0.0.1:3001",
  user: "alice",
  token: "eyJ.x.y",
  expiresInSeconds: 3600,
  dataDir: "/data",
};

describe("the welcome", () => {
  it("shows where everything is", () => {
    expect(welcome(service)).toContain(`
base_url   http://127.0.0.1:3000
stream_url ws://127.0.0.1:3001
data       /data
logs       /data/logs
token      for alice, valid for 60 minutes
           another: npm run -s token -- --user alice --port 3000

TOKEN=eyJ.x.y
`);
  });

  it("leaves the stream out if there is none", () => {
    const text = welcome({ ...service, streamUrl: undefined });
    expect(text).not.toMatch(/stream|ws/);
    expect(text).toContain("3000\ndata ");
    expect(text).toContain("rewards'\n\nCtrl-C stops everything.\n");
  });

  it("has a line that prints the stream, which works when pasted after the token's", async () => {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    onTestFinished(() => void server.close());
    await once(server, "listening");
    server.on("connection", (socket, { headers }) =>
      socket.on("message", (data) => socket.send(`${headers["sec-websocket-protocol"]} sent ${data}`)),
    );
    const streamUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const lines = welcome({ ...service, streamUrl }).split("\n");
    const pasted = lines.filter((line) => line.startsWith("TOKEN=") || line.startsWith("node -e"));
    expect(pasted).toHaveLength(2);
    const shell = execFile("sh", ["-c", pasted.join("\n").replace("\nnode", "\nexec node")]);
    onTestFinished(() => void shell.kill());
    let printed = "";
    shell.stdout?.on("data", (text: string) => {
      printed += text;
    });
    const message = '{"type":"subscribe","channels":["prices"]}';
    await vi.waitFor(() => expect(printed).toBe(`access_token,eyJ.x.y sent ${message}\n`), 20_000);
  });
});
