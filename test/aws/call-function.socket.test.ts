import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { Uint8ArrayBlobAdapter } from "@smithy/core/serde";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { callOf } from "../../lib/aws/call-function.ts";
import { directStartOf } from "../../lib/aws/hand-over.ts";

const lambda = mockClient(LambdaClient);
const call = callOf("signTransaction", { region: "us-east-1" });
const payload = (text: string) => Uint8ArrayBlobAdapter.fromString(text);

beforeEach(() => lambda.reset());

describe("callOf", () => {
  it("waits for the function's result", async () => {
    lambda.on(InvokeCommand).resolves({ StatusCode: 200, Payload: payload('{"later":"soon"}') });
    expect(await call({ nonce: 7 })).toEqual({ later: "soon" });
    const [{ args } = { args: [] }] = lambda.commandCalls(InvokeCommand);
    expect(args[0]?.input).toEqual({ FunctionName: "signTransaction", Payload: '{"nonce":7}' });
  });

  it("throws if the function fails or does not return JSON", async () => {
    const error = { StatusCode: 200, FunctionError: "Unhandled", Payload: payload('{"later":"soon"}') };
    lambda
      .on(InvokeCommand)
      .resolvesOnce(error)
      .resolvesOnce({ Payload: payload("<html>") });
    await expect(call({})).rejects.toThrow(expect.objectContaining({ name: "FunctionFailed" }));
    await expect(call({})).rejects.toThrow();
  });
});

describe("directStartOf", () => {
  it("starts the function without its queue, and ignores its end", async () => {
    lambda.on(InvokeCommand).rejects(new Error("throttled"));
    const start = directStartOf<object>("executeOrders", { region: "us-east-1" });
    expect(await start({ chain: "eth" })).toBeUndefined();
    const [{ args } = { args: [] }] = lambda.commandCalls(InvokeCommand);
    expect(args[0]?.input).toEqual({ FunctionName: "executeOrders", Payload: '{"chain":"eth"}' });
  });
});
