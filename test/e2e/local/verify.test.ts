import { expect, it } from "vitest";
import { openLocal } from "../../../lib/admin/local-target.ts";
import { queryRange } from "../../../lib/aws/table.ts";
import { everythingOf } from "../../../lib/table/keys.ts";
import { openService, runVerify } from "../../../lib/verify/verify.ts";
import { collector } from "../../admin/support/admin.ts";
import { localRunner } from "../support/deployment.ts";
import { keepAnswer } from "../support/written.ts";

it("npm run verify passes on the local runner, and leaves nothing of its user", async () => {
  const { port } = localRunner();
  const [stdout, stderr] = [collector(), collector()];

  const code = await runVerify(["--local", `${port}`, "--quick"], {
    ...{ stdout, stderr, env: {}, openService },
    interruption: () => new AbortController().signal,
  });

  const output = stdout.text();
  keepAnswer(output);
  expect({ code, err: stderr.text() }, output).toEqual({ code: 0, err: "" });
  const [, passed] = /^passed: (\d+), failed: 0,/m.exec(output) ?? [];
  expect(Number(passed), output).toBeGreaterThanOrEqual(23);
  const [, userID = ""] = /data and the API keys of user (\S+)/.exec(output) ?? [];
  expect(userID).toMatch(/^verify-/);
  const { table } = await openLocal(port);
  for (const range of everythingOf(userID)) expect(await queryRange(table, range)).toEqual([]);
}, 120_000);
