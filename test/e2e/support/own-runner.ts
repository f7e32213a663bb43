import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { talkTo } from "./deployment.ts";
import { type Runner, startRunner } from "./runner.ts";

/** A local runner for the tests of one file, which talk to it from its start on. */
export type OwnRunner = {
  dataDir: string;
  withoutDatabase: Runner["withoutDatabase"];
  /** Ends it as a crash would, and starts it on the same data and ports. */
  crashAndStart(): Promise<void>;
  /** What was printed, and every file that the runner has written except the stacks. */
  everythingWritten(): Promise<[name: string, content: Buffer][]>;
  /** Ends it, and removes what it has written. */
  remove(): Promise<void>;
};

export async function startOwnRunner(): Promise<OwnRunner> {
  const folder = await mkdtemp(join(tmpdir(), "e2e-own-"));
  const [dataDir, output] = [join(folder, "data"), join(folder, "output")];

  async function start(ports: { port?: number; streamPort?: number } = {}): Promise<Runner> {
    const started = await startRunner({ output, dataDir, ...ports });
    const { baseUrl, streamUrl, port } = started;
    talkTo({
      baseUrl,
      streamUrl,
      allowedOrigin: undefined,
      tokens: { from: "issuer" },
      local: { port, dataDir, output },
    });
    return started;
  }

  let runner = await start();
  return {
    dataDir,
    withoutDatabase: (act) => runner.withoutDatabase(act),
    async crashAndStart() {
      await runner.kill();
      runner = await start(runner);
    },
    async everythingWritten() {
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
      const written = paths.filter((path) => !path.includes("cdk.out"));
      return Promise.all(
        written.map(
          async (path): Promise<[string, Buffer]> => [relative(folder, path), await readFile(path)],
        ),
      );
    },
    async remove() {
      talkTo(undefined);
      await runner.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
