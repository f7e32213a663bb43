import { afterEach, expect, it } from "vitest";
import { reportUnits, spendUnits, takeUnits } from "../../../lib/chains/hosts/spent-units.ts";

afterEach(() => reportUnits(() => {}));

it("reports about a thousand units at a time, and none twice or after they were taken", () => {
  const reports: number[] = [];
  reportUnits((units) => reports.push(units));
  const spend = (times: number) => {
    for (let time = 0; time < times; time++) spendUnits(["eth_call", "eth_chainId", "getAccountInfo"]);
  };
  // Ends what other tests of this process have spent.
  while (reports.length === 0) spend(1);
  reports.length = 0;
  // Each time spends 26, 0 and 20 units.
  spend(21);
  expect(reports).toEqual([]);
  spend(1);
  expect(reports).toEqual([1012]);
  spend(22);
  expect(reports).toEqual([1012, 1012]);
  spend(10);
  expect([takeUnits(), takeUnits()]).toEqual([460, 0]);
  spend(21);
  expect(reports).toEqual([1012, 1012]);
});
