import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { keepState } from "../../evm/chain-state.ts";

/** Keeps a chain whose state is the number of times that it was saved. */
function kept(saveAfterMs: number, dump?: () => string) {
  const folder = mkdtempSync(join(tmpdir(), "state-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "eth.json");
  const failures: unknown[] = [];
  let dumps = 0;
  const packed = () => `0x${gzipSync(String(++dumps)).toString("hex")}`;
  const state = keepState({
    path,
    saveAfterMs,
    request: async (method) => (method === "anvil_dumpState" ? (dump ?? packed)() : undefined),
    onFailure: (error) => failures.push(error),
  });
  const saved = async () => {
    await state.saved();
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  };
  return { state, failures, saved };
}

describe("keepState", () => {
  it("saves changes once the chain is idle, and never saves the same state twice", async () => {
    const { state, saved } = kept(60_000);
    state.rest();
    expect(await saved()).toBeUndefined();
    state.changed();
    expect(await saved()).toBeUndefined();
    state.rest();
    expect(await saved()).toBe("1");
    state.rest();
    expect(await saved()).toBe("1");
    state.changed();
    state.rest();
    expect(await saved()).toBe("2");
  });

  it("saves old changes even if the chain is never idle", async () => {
    const { state, saved } = kept(0);
    state.changed();
    expect(await saved()).toBe("1");
  });

  it("reports a failed save, and tries again after the next change", async () => {
    let works = false;
    const { state, failures, saved } = kept(0, () => {
      if (!works) throw new Error("no");
      return `0x${gzipSync("state").toString("hex")}`;
    });
    state.changed();
    expect(await saved()).toBeUndefined();
    expect(failures).toEqual([new Error("no")]);
    works = true;
    state.changed();
    expect(await saved()).toBe("state");
  });
});
