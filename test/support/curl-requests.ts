import { execFile } from "node:child_process";
import { promisify } from "node:util";

export type CurlRequest = {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  url: string;
  headers: string[];
  body?: string;
};

/** Waits for nothing, and prints each call's arguments with separators, in the place of curl: not every machine has it. */
const capture = String.raw`sleep() { :; }; curl() { printf '%s\037' "$@"; printf '\036'; }`;

/**
 * The requests that lines would send if they were pasted into a shell.
 *
 * @throws Error if a line fails, or has an option of curl that is not known here
 */
export async function curlRequests(lines: string): Promise<CurlRequest[]> {
  const { stdout } = await promisify(execFile)("sh", ["-ec", `${capture}\n${lines}`]);
  const calls = stdout.split("\x1e").slice(0, -1);
  return calls.map((call) => requestOf(call.split("\x1f").slice(0, -1)));
}

function requestOf(options: string[]): CurlRequest {
  const request: CurlRequest = { method: "GET", url: "", headers: [] };
  let method: CurlRequest["method"] | undefined;
  for (let option = options.shift(); option !== undefined; option = options.shift()) {
    if (option === "-sw") options.shift();
    else if (option === "-H") request.headers.push(options.shift() ?? "");
    else if (option === "-X") method = options.shift() as CurlRequest["method"];
    else if (option === "-d") Object.assign(request, { method: "POST", body: options.shift() });
    else if (/^http/.test(option)) request.url = option;
    else throw new Error(`An option of curl that is not known here: ${option}`);
  }
  return method === undefined ? request : { ...request, method };
}
