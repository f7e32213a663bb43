import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Runner, start } from "cdk-local-runner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { notesApp, notesAssembly } from "../../../../lib/local/test/fixtures/notes-assembly.ts";
import { createBundler } from "../../../../lib/tools/runner/watch/bundler.ts";
import { watch } from "../../../../lib/tools/runner/watch/watch.ts";

const packages = resolve(import.meta.dirname, "../../../../node_modules");

let root: string;
let temporary: string;
let runner: Runner;
let watching: AsyncDisposable;
let socket: WebSocket;
const lines: string[] = [];
let checkStacks = async (): Promise<string[]> => [];

const inProject = (name: string) => join(root, name);
const edit = (name: string, from: string, to: string) => {
  const text = readFileSync(inProject(name), "utf8");
  expect(text).toContain(from);
  writeFileSync(inProject(name), text.replace(from, to));
};
const note = async () => (await fetch(`${runner.baseUrl}/notes/1`)).text();
/** Waits for a change. It takes two seconds on an idle machine, and longer while other tests run. */
const eventually = <Value>(read: () => Promise<Value> | Value) => expect.poll(read);

/** Starts an app with an editable copy of its sources. */
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "watch-test-")));
  cpSync(notesApp, root, { recursive: true });
  runner = await start({
    port: 0,
    assembly(site) {
      temporary = site.temporary;
      return notesAssembly(site.reaper);
    },
  });
  await fetch(`${runner.baseUrl}/notes/1`, { method: "PUT", body: "milk" });
  socket = new WebSocket(runner.streamUrl ?? "");
  await once(socket, "open");
  watching = await watch({
    functions: new Map([["notes", "notes"]]),
    bundler: createBundler(
      root,
      { notes: inProject("notes.ts") },
      {
        bundle: true,
        platform: "node",
        format: "esm",
        mainFields: ["module", "main"],
        nodePaths: [packages],
        outExtension: { ".js": ".mjs" },
      },
    ),
    codeFile: "index.mjs",
    headOf: () => "",
    places: { file: "places", textOf: () => "" },
    temporary,
    stacks: { files: async () => new Set([inProject("app.ts")]), changed: () => checkStacks() },
    runner,
    say: (text) => lines.push(text),
  });
});

afterAll(async () => {
  await watching?.[Symbol.asyncDispose]();
  await runner?.stop();
  rmSync(root, { recursive: true });
});

describe("watch", () => {
  it("runs a saved handler from the next request on and keeps data and connections", async () => {
    expect(await note()).toBe("Note: milk");
    edit("notes.ts", "body: describe(", 'body: "New: " + describe(');
    await eventually(note).toBe("New: Note: milk");
    expect(lines.at(-1)).toBe("New code: notes");
    socket.send("still here");
    expect(String((await once(socket, "message"))[0])).toBe("echo: still here");
  });

  it("reloads a saved file that a handler imports", async () => {
    edit("describe.ts", "Note:", "Remember:");
    await eventually(note).toBe("New: Remember: milk");
  });

  it("keeps the old code and shows the error when a file is invalid", async () => {
    lines.length = 0;
    const good = readFileSync(inProject("describe.ts"), "utf8");
    writeFileSync(inProject("describe.ts"), "export const describe = (;");
    await eventually(() => lines.join()).toContain('Unexpected ";"');
    expect(lines.join()).toMatch(/describe\.ts:1:\d+:.*\nThe old code keeps serving\.$/s);
    expect(await note()).toBe("New: Remember: milk");
    writeFileSync(inProject("describe.ts"), good.replace("Remember", "Again"));
    await eventually(note).toBe("New: Again: milk");
  });

  it("builds again at the next save after an error, even with new files", async () => {
    lines.length = 0;
    const marked =
      'import { mark } from "./mark.ts";\nexport const describe = (text: string) => "Again: " + text + mark;\n';
    writeFileSync(inProject("describe.ts"), marked);
    await eventually(() => lines.join()).toContain('Could not resolve "./mark.ts"');
    writeFileSync(inProject("mark.ts"), 'export const mark = "!";');
    appendFileSync(inProject("describe.ts"), "\n");
    await eventually(note).toBe("New: Again: milk!");
    edit("mark.ts", "!", "?");
    await eventually(note).toBe("New: Again: milk?");
  });

  it("replaces no function whose code stays the same", async () => {
    lines.length = 0;
    appendFileSync(inProject("describe.ts"), "// A comment.\n");
    edit("mark.ts", "?", ".");
    await eventually(note).toBe("New: Again: milk.");
    appendFileSync(inProject("describe.ts"), "// Another comment.\n");
    edit("mark.ts", ".", ";");
    await eventually(note).toBe("New: Again: milk;");
    expect(lines).toEqual(["New code: notes", "New code: notes"]);
  });

  it("keeps the code that precedes the bundle in a running function's file, and puts a map next to both", async () => {
    const folder = mkdtempSync(join(root, "headed-"));
    writeFileSync(join(folder, "index.mjs"), "head;\nold");
    const replaced: string[] = [];
    const once = await watch({
      functions: new Map([["f", "f"]]),
      bundler: {
        inputsOf: () => new Set(),
        bundle: async () => new Map([["f", { code: "new", map: "map" }]]),
      },
      codeFile: "index.mjs",
      headOf: (code) => code.slice(0, code.indexOf("\n") + 1),
      places: { file: "places", textOf: ({ map }, head) => head + map },
      temporary: folder,
      stacks: { files: async () => new Set(), changed: async () => [] },
      runner: {
        functions: [{ name: "f", codeFolder: folder }],
        async replaceCode(_, next) {
          for (const file of ["index.mjs", "places"]) replaced.push(readFileSync(join(next, file), "utf8"));
        },
      },
      say: () => {},
    });
    await once[Symbol.asyncDispose]();
    expect(replaced).toEqual(["head;\nnew", "head;\nmap"]);
  });

  it("names the changed stacks and tells the user to restart", async () => {
    lines.length = 0;
    checkStacks = async () => ["Notes"];
    appendFileSync(inProject("app.ts"), "// Changed.\n");
    await eventually(() => lines).toEqual([
      "The template of Notes has changed: restart npm run dev to apply it.",
    ]);
  });

  it("shows why the stacks cannot be synthesized, and prints nothing if they are unchanged", async () => {
    lines.length = 0;
    checkStacks = () => Promise.reject(new Error("The stacks cannot be synthesized"));
    appendFileSync(inProject("app.ts"), "// Broken.\n");
    await eventually(() => lines).toEqual(["The stacks cannot be synthesized"]);
    const checked = Promise.withResolvers<void>();
    checkStacks = async () => {
      checked.resolve();
      return [];
    };
    appendFileSync(inProject("app.ts"), "// Mended.\n");
    await checked.promise;
    expect(lines).toHaveLength(1);
  });

  it("keeps only the latest code and stops watching once disposed", async () => {
    await eventually(() => readdirSync(temporary).filter((name) => name.startsWith("notes-"))).toHaveLength(
      1,
    );
    await watching[Symbol.asyncDispose]();
    edit("notes.ts", "New: ", "Newer: ");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await note()).toBe("New: Again: milk;");
  });
});
