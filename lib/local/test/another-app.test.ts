import { once } from "node:events";
import { type Runner, start } from "cdk-local-runner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { temporaryFolder } from "./fixtures/folder.ts";
import { notesAssembly, removeNotesAssembly } from "./fixtures/notes-assembly.ts";

let runner: Runner;

/** Follows the example in the README. */
beforeAll(async () => {
  removeNotesAssembly();
  runner = await start({
    port: 0,
    dataDir: temporaryFolder(),
    assembly: ({ reaper }) => notesAssembly(reaper),
  });
});

afterAll(() => runner.stop());

describe("another CDK app", () => {
  it("serves a REST API from its function and its table", async () => {
    const url = `${runner.baseUrl}/notes/1`;
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(url, { method: "PUT", body: "milk" })).status).toBe(204);
    const answer = await fetch(url);
    expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: "Note: milk" });
  });

  it("answers an unknown route as API Gateway does", async () => {
    const answer = await fetch(`${runner.baseUrl}/pets`);
    expect({ status: answer.status, body: await answer.json() }).toEqual({
      status: 403,
      body: { message: "Missing Authentication Token" },
    });
  });

  it("serves a WebSocket API", async () => {
    const socket = new WebSocket(runner.streamUrl ?? "");
    await once(socket, "open");
    socket.send("hello");
    const [answer] = await once(socket, "message");
    expect(String(answer)).toBe("echo: hello");
    socket.close();
  });

  it("lists the runner's URLs among the stack's outputs", () => {
    expect(runner.outputs).toMatchObject({ BaseUrl: runner.baseUrl, StreamUrl: runner.streamUrl });
  });
});
