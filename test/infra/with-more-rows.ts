import { workerData } from "node:worker_threads";
import { Code } from "aws-cdk-lib/aws-lambda";
import { tradingRows } from "../../lib/operations/trading-rows.ts";
import type { Operation } from "../../lib/operations/types.ts";

/** Rows to add, and options of the app. A thread has its own modules, so no test sees the added rows. */
const { rows, options } = workerData as { rows: Record<string, Operation>; options: object };

Object.assign(tradingRows, rows);
const { terminalApp } = await import("../../lib/infra/app.ts");
// Replaces the code of the added rows, because they have none.
const fromAsset = Code.fromAsset.bind(Code);
Code.fromAsset = (_, rest) => fromAsset("functions/ping", rest);
terminalApp(options).synth();
