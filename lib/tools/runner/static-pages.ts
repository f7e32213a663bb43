import { type GatewayResponse, json, pathOf, type Route } from "cdk-local-runner";

type PageFile = { type: string; body: Buffer };

type PageFiles = ReadonlyMap<string, PageFile>;

/**
 * Serves files below a path. Requests for other paths below it are answered as not found.
 *
 * @param path Path without a final slash. A request for the path with a slash gets the file `index.html`.
 */
export function staticPages(
  path: string,
  files: (name: string) => PageFiles | Promise<PageFiles>,
  contentSecurityPolicy: string,
): Route {
  const headers: GatewayResponse["headers"] = [
    ["Content-Security-Policy", `${contentSecurityPolicy}; frame-ancestors 'none'`],
    ["X-Content-Type-Options", "nosniff"],
    ["Referrer-Policy", "no-referrer"],
    ["Cross-Origin-Opener-Policy", "same-origin"],
    ["Cache-Control", "no-store"],
  ];
  const page = ({ type, body }: PageFile): GatewayResponse => ({
    status: 200,
    headers: [["Content-Type", type], ...headers],
    body,
  });
  const toFolder: GatewayResponse = { status: 308, headers: [["Location", `${path}/`]], body: Buffer.of() };

  async function find(asked: string): Promise<GatewayResponse | undefined> {
    if (asked === path) return toFolder;
    const name = asked.slice(path.length + 1) || "index.html";
    const file = (await files(name)).get(name);
    return file && page(file);
  }

  return (request) => {
    const asked = pathOf(request);
    if (asked !== path && !asked.startsWith(`${path}/`)) return undefined;
    return find(asked).then((found) => answer(request.method, found));
  };
}

function answer(method: string, found: GatewayResponse | undefined): GatewayResponse {
  if (found === undefined) return json(404, { error: "Not found" });
  if (method !== "GET" && method !== "HEAD")
    return json(405, { error: "Method not allowed" }, ["Allow", "GET, HEAD"]);
  return found;
}
