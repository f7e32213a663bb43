import { execFile } from "node:child_process";
import { promisify } from "node:util";

export type CurlRequest = {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  url: string;
  headers: string[];
  body?: string;
};

/** Waits for nothing, and prints each call's arguments as a line of JSON, in the place of curl: not every machine has it. */
const capture = `sleep() { :; }; curl() { "$0" -p 'JSON.stringify(process.argv.slice(1))' -- "$@"; }`;

/**
 * The requests that lines would send if they were pasted into a shell.
 *
 * @throws Error if a line fails, or has an option of curl that is not known here
 */
export async function curlRequests(lines: string): Promise<CurlRequest[]> {
  const { stdout } = await promisify(execFile)("sh", ["-ec", `${capture}\n${lines}`, process.execPath]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => requestOf(JSON.parse(line)));
}

function requestOf(options: string[]): CurlRequest {
  const request: CurlRequest = { method: "GET", url: "", headers: [] };
  for (let option = options.shift(); option !== undefined; option = options.shift()) {
    if (option === "-sw") options.shift();
    else if (option === "-H") request.headers.push(options.shift() ?? "");
    else if (option === "-d") Object.assign(request, { method: "POST", body: options.shift() });
    else if (/^http/.test(option)) request.url = option;
    else throw new Error(`An option of curl that is not known here: ${option}`);
  }
  return request;
}
