import { expect, it } from "vitest";
import { EarlyMemory, memoryPerHost } from "../../../lib/chains/hosts/early-memory.ts";

it("keeps what one host has shown apart from what another one has", () => {
  const memoryOf = memoryPerHost(() => new EarlyMemory<string>(1));
  const [host, another] = [{}, {}];
  memoryOf(host).keep("token", "shown");
  expect(memoryOf(another).take("token")).toBeUndefined();
  expect(memoryOf(host).take("token")?.value).toBe("shown");
});

it("lends a value to one quote at a time", () => {
  const memory = new EarlyMemory<string>(1);
  memory.keep("token", "shown");
  memory.take("token");
  expect(memory.take("token")).toBeUndefined();
});
