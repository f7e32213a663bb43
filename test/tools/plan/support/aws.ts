import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Quotas = {
  concurrentRuns: number;
  unreservedRuns?: number;
  requestsPerSecond: number;
  /** Names of API keys. */
  keys: readonly string[];
  /** True if STS refuses the credentials. */
  isRefused?: boolean;
};

const identity = `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;
const refusal = `<ErrorResponse><Error><Code>InvalidClientTokenId</Code></Error></ErrorResponse>`;

/** Answers as STS, Lambda and API Gateway do about an account, page by page. */
export async function startAws(quotas: Quotas) {
  const { concurrentRuns, unreservedRuns = concurrentRuns, requestsPerSecond, keys, isRefused } = quotas;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://local");
    const json = (body: object) =>
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(body));
    if (!request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 Credential=local/")) {
      response.statusCode = 403;
      json({ message: "The request is not signed" });
    } else if (request.method === "POST") {
      response.statusCode = isRefused ? 403 : 200;
      response.end(isRefused ? refusal : identity);
    } else if (pathname.endsWith("/account-settings")) {
      json({
        AccountLimit: {
          ConcurrentExecutions: concurrentRuns,
          UnreservedConcurrentExecutions: unreservedRuns,
        },
      });
    } else if (pathname === "/account") {
      json({ throttleSettings: { rateLimit: requestsPerSecond, burstLimit: 5000 } });
    } else if (pathname === "/apikeys") {
      const from = Number(searchParams.get("position") ?? 0);
      const to = from + Number(searchParams.get("limit"));
      const item = keys.slice(from, to).map((name, index) => ({ id: `${from + index}`, name }));
      json({ item, ...(to < keys.length && { position: `${to}` }) });
    } else {
      response.statusCode = 404;
      json({ message: `${request.method} ${pathname} is not answered` });
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => new Promise((done) => server.close(done)),
  };
}
