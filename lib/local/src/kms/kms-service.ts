import { header, type Route } from "../http/handle.ts";
import { type Kms, SERVICE } from "./kms.ts";

/** KMS over HTTP: the JSON 1.1 protocol, all of it on one path. */
export function kmsService(kms: Kms): Route {
  return (request) => {
    const target = header(request, "x-amz-target");
    if (!target?.startsWith(SERVICE)) return undefined;
    const { status, body } = kms.handle(target, parse(request.body));
    return Promise.resolve({
      status,
      headers: [["Content-Type", "application/x-amz-json-1.1"]],
      body: Buffer.from(JSON.stringify(body)),
    });
  };
}

/** What is no JSON is no request either, and is refused as such. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
