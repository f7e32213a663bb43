import { execFile } from "node:child_process";
import { promisify } from "node:util";

export type CurlRequest = {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  url: string;
  headers: string[];
  body?: string;
};

/**
 * Shell functions that replace sleep and curl, which not every machine has. They never wait and print each call's
 * arguments with separators.
 */
const capture = String.raw`sleep() { :; }; curl() { printf '%s\037' "$@"; printf '\036'; }`;

/**
 * Returns the requests that pasted shell lines would send.
 *
 * @throws Error if a line fails or uses an unknown option of curl
 */
export async function curlRequests(lines: string): Promise<CurlRequest[]> {
  const { stdout } = await promisify(execFile)("sh", ["-ec", `${capture}\n${lines}`]);
  const calls = stdout.split("\x1e").slice(0, -1);
  return calls.map((call) => requestOf(call.split("\x1f").slice(0, -1)));
}

/** Returns the request that curl would send with these arguments. @throws Error for an unknown option */
export function requestOf(args: readonly string[]): CurlRequest {
  const options = [...args];
  const request: CurlRequest = { method: "GET", url: "", headers: [] };
  let method: CurlRequest["method"] | undefined;
  for (let option = options.shift(); option !== undefined; option = options.shift()) {
    if (option === "-sw") options.shift();
    else if (option === "-s" || option === "-i") continue;
    else if (option === "-H") request.headers.push(options.shift() ?? "");
    else if (option === "-X") method = options.shift() as CurlRequest["method"];
    else if (option === "-d") Object.assign(request, { method: "POST", body: options.shift() });
    else if (/^http/.test(option)) request.url = option;
    else throw new Error(`An option of curl that is not known here: ${option}`);
  }
  return method === undefined ? request : { ...request, method };
}
