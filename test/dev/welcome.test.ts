import { execFile } from "node:child_process";
import { describe, expect, onTestFinished, test } from "vitest";
import { welcome } from "../../lib/dev/welcome.ts";
import { type GivenEvent, route, talking } from "../../lib/local/test/websocket-api/fixture.ts";
import { eventually, serve } from "../../lib/local/test/websocket-api/stream.ts";

const told = {
  baseUrl: "http://127.0.0.1:3000",
  streamUrl: "ws://127.0.0.1:3001",
  user: "alice",
  token: "eyJ.x.y",
  expiresIn: 3600,
  dataDir: "/data",
};

describe("the welcome", () => {
  test("tells where everything is", () => {
    expect(welcome(told)).toContain(`
base_url   http://127.0.0.1:3000
stream_url ws://127.0.0.1:3001
data       /data
logs       /data/logs
token      for alice, good for 60 minutes
           another: npm run -s token -- --user alice --port 3000

TOKEN=eyJ.x.y
`);
  });

  test("tells of no stream where there is none", () => {
    const text = welcome({ ...told, streamUrl: undefined });
    expect(text).not.toMatch(/stream|ws/);
    expect(text).toContain("3000\ndata ");
    expect(text).toContain("rewards'\n\nCtrl-C stops everything.\n");
  });

  test("its line for the stream works as it is pasted, after the token's", async () => {
    const connect = ({ headers }: GivenEvent) => ({
      statusCode: headers["Sec-WebSocket-Protocol"] === "access_token,eyJ.x.y" ? 200 : 401,
      headers: { "Sec-WebSocket-Protocol": "access_token" },
    });
    const { url } = await serve([...route("$connect"), ...talking("subscribe")], {
      connect,
      subscribe: ({ body }: GivenEvent) => ({ body: `heard ${body}` }),
    });
    const lines = welcome({ ...told, streamUrl: url }).split("\n");
    const pasted = lines.filter((line) => line.startsWith("TOKEN=") || line.startsWith("node -e"));
    expect(pasted).toHaveLength(2);
    const shell = execFile("sh", ["-c", pasted.join("\n").replace("\nnode", "\nexec node")]);
    onTestFinished(() => {
      shell.kill();
    });
    let printed = "";
    shell.stdout?.on("data", (text: string) => {
      printed += text;
    });
    await eventually(() => printed).toBe('heard {"type":"subscribe","channels":["prices"]}\n');
  });
});
