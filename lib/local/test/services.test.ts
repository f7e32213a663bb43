import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Listener, listen } from "../src/http/server.ts";
import { createKms, kmsService } from "../src/kms/kms.ts";
import { createLambda, type Lambda } from "../src/lambda/lambda.ts";
import { lambdaService } from "../src/lambda/lambda-service.ts";
import { awsServices } from "../src/services.ts";
import { defineCode } from "./lambda/functions.ts";

const credentials = { accessKeyId: "known", secretAccessKey: "any" };
const signed = { Authorization: "AWS4-HMAC-SHA256 Credential=known/20260101/us-east-1/lambda/aws4_request" };
const faults: unknown[] = [];
const handled: string[] = [];
const kms = createKms();
let lambda: Lambda;
let server: Listener;

beforeAll(async () => {
  const code = `export const handler = async (event) => {
    console.log("handled " + event.n);
    if (event.fail) throw new TypeError("boom");
    return { got: event };
  };`;
  lambda = createLambda([defineCode(code, { name: "echo" })], {
    environmentOf: () => ({}),
    onLog: ({ line }) => handled.push(JSON.parse(line).message),
    onStart: () => {},
  });
  const routes = [kmsService(kms), lambdaService(lambda, (name, event) => void lambda.invoke(name, event))];
  server = await listen(0, awsServices(credentials, routes), (error) => faults.push(error));
});

afterAll(async () => {
  await server.close();
  await lambda.stop();
  expect(faults).toEqual([]);
});

function invoke(name: string, body: string, headers: Record<string, string> = {}) {
  return fetch(`${server.url}/2015-03-31/functions/${encodeURIComponent(name)}/invocations`, {
    method: "POST",
    headers: { ...signed, ...headers },
    body,
  });
}

describe("KMS", () => {
  it("generates a data key for the SDK and decrypts it", async () => {
    const client = new KMSClient({ endpoint: server.url, region: "us-east-1", credentials });
    const { keyId: KeyId } = kms.ensureKey("k");
    const made = await client.send(new GenerateDataKeyCommand({ KeyId, KeySpec: "AES_256" }));
    const opened = await client.send(new DecryptCommand({ CiphertextBlob: made.CiphertextBlob }));
    expect(opened.Plaintext).toEqual(made.Plaintext);
    const ids = [made, opened].map(({ $metadata }) => $metadata.requestId);
    expect(ids).toEqual(Array(2).fill(expect.stringMatching(/^[\da-f-]{36}$/)));
    expect(ids[0]).not.toBe(ids[1]);
    await expect(
      client.send(new GenerateDataKeyCommand({ KeyId: "absent", KeySpec: "AES_256" })),
    ).rejects.toMatchObject({ name: "NotFoundException", $metadata: { httpStatusCode: 400 } });
  });

  it("refuses a body that is not JSON", async () => {
    const answer = await fetch(server.url, {
      method: "POST",
      headers: { ...signed, "X-Amz-Target": "TrentService.Decrypt" },
      body: "{",
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ __type: "ValidationException" });
  });
});

describe("Lambda", () => {
  it("answers a RequestResponse with the result of the function", async () => {
    const answer = await invoke("echo", '{"n":1}');
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-amz-function-error")).toBeNull();
    expect(answer.headers.get("x-amz-executed-version")).toBe("$LATEST");
    expect(await answer.json()).toEqual({ got: { n: 1 } });
  });

  it("reports an error of the function in a header", async () => {
    const answer = await invoke("arn:aws:lambda:us-east-1:000000000000:function:echo", '{"fail":true}');
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-amz-function-error")).toBe("Unhandled");
    expect(await answer.json()).toMatchObject({ errorType: "TypeError", errorMessage: "boom" });
  });

  it("answers an Event before the function has run", async () => {
    const answer = await invoke("echo", '{"n":2}', { "X-Amz-Invocation-Type": "Event" });
    expect(answer.status).toBe(202);
    expect(await answer.text()).toBe("");
    await expect.poll(() => handled).toContain("handled 2");
  });

  it("treats a missing body as an empty event", async () => {
    expect(await (await invoke("echo", "")).json()).toEqual({ got: {} });
  });

  it.each([
    ["an unknown function", "other", "{}", 404, "ResourceNotFoundException"],
    ["a body that is not JSON", "echo", "{", 400, "InvalidRequestContentException"],
    [
      "a body that is too large",
      "echo",
      JSON.stringify("x".repeat(6 * 1024 * 1024)),
      413,
      "RequestTooLargeException",
    ],
  ])("refuses to invoke a function for %s", async (_, name, body, status, type) => {
    const answer = await invoke(name, body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-amzn-errortype")).toBe(type);
  });
});

describe("awsServices", () => {
  it("refuses a call without the access key before any other check", async () => {
    for (const authorization of ["", "Bearer x", signed.Authorization.replace("known/", "unknown/")]) {
      const answer = await invoke("echo", "{}", { Authorization: authorization });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ __type: "UnrecognizedClientException" });
    }
  });

  it("names a service that is not emulated", async () => {
    const answer = await fetch(server.url, {
      method: "POST",
      headers: { ...signed, "X-Amz-Target": "secretsmanager.GetSecretValue" },
    });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ message: "secretsmanager.GetSecretValue is not emulated" });
  });
});

describe("listen", () => {
  it("reports in one line that a port is in use", async () => {
    await expect(
      listen(
        server.port,
        async () => Promise.reject(),
        () => {},
      ),
    ).rejects.toThrow(
      `Port ${server.port} is in use; stop what listens on it, or choose another with --port.`,
    );
  });
});
