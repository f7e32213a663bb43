/**
 * A function's process: loads its code and polls a Runtime API, like Lambda's Node.js runtime. It is
 * JavaScript, so that no cold start includes the compilation of types.
 */
import { createRequire } from "node:module";

// Like Lambda's runtime, requires the module: an import would evaluate its getters, one of which loads fetch.
const { request } = createRequire(import.meta.url)("node:http");

const { AWS_LAMBDA_RUNTIME_API: api, LAMBDA_TASK_ROOT: folder } = process.env;
const invocation = `http://${api}/2018-06-01/runtime/invocation`;

const call = (method, url, headers, body) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      resolve({ headers: response.headers, text });
    });
    sent.on("error", reject).end(body);
  });

const microseconds = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

const { handler } = await import(`file://${folder}/index.mjs`);

for (;;) {
  const { headers, text } = await call("GET", `${invocation}/next`, {});
  const deadline = Number(headers["lambda-runtime-deadline-ms"]);
  const id = headers["lambda-runtime-aws-request-id"];
  const context = { awsRequestId: id, getRemainingTimeInMillis: () => deadline - Date.now() };
  const calls = Number(headers["bench-calls"]);
  const before = microseconds();
  let outcome = "response";
  let answer = null;
  for (let done = 0; done < calls; done++) {
    try {
      answer = (await handler(JSON.parse(text), context)) ?? null;
    } catch (error) {
      outcome = "error";
      answer = { errorType: error?.name, errorMessage: error?.message };
    }
  }
  const used = { "bench-before": `${before}`, "bench-call": `${(microseconds() - before) / calls}` };
  await call("POST", `${invocation}/${id}/${outcome}`, used, JSON.stringify(answer));
}
