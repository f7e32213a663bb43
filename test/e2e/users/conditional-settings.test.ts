import { expect, it } from "vitest";
import { get } from "../support/client.ts";
import { expectMessage } from "../support/expectations.ts";
import { changeSettings, settingsAfter } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

it("rejects a conditional change of settings that have changed since they were read", async () => {
  const user = await newUser();
  const read = (headers = {}) => get("/api/v2/settings/eth", { ...user, headers });
  const first = await read();
  expect(first.headers.get("ETag")).toBe('"0"');

  const changed = await changeSettings(user, "eth", { slippage: 2 }, { "If-Match": '"0"' });
  expect([changed.status, changed.headers.get("ETag")]).toEqual([200, '"1"']);
  await settingsAfter(user, "eth", { slippage: 3 });

  expectMessage(
    await changeSettings(user, "eth", { slippage: 4 }, { "If-Match": 'W/"2", "1"' }),
    412,
    /If-Match/,
  );

  const last = await read();
  expect(last.json).toMatchObject({ data: { chain: "eth", version: 2, settings: { slippage: 3 } } });
  expect((await changeSettings(user, "eth", { slippage: 5 }, { "If-Match": '"1", "2"' })).status).toBe(200);
  const cached = await read({ "If-None-Match": '"3"' });
  expect([cached.status, cached.text, cached.headers.get("ETag")]).toEqual([304, "", '"3"']);
});
