import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { bucketDomainName, bucketName } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { type GatewayRequest, type GatewayResponse, header, type Pair, pathOf } from "../http/messages.ts";
import type { FileDeployment } from "./deployments.ts";

/** A bucket as the origin of a distribution. */
export type BucketServer = { domainName: string; answer: (request: GatewayRequest) => GatewayResponse };

/** Types of files, as the AWS CLI guesses them. */
const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** Opens the buckets of the stacks. Files are read when they are requested, so that a changed folder is noticed. */
export function openBuckets(resources: Resources, deployments: readonly FileDeployment[]): BucketServer[] {
  return resources.ofType("AWS::S3::Bucket").map((resource) => {
    const own = deployments.filter(({ bucket }) => bucket === bucketName(resource));
    return { domainName: bucketDomainName(resource), answer: (request) => answer(own, request) };
  });
}

function answer(deployments: readonly FileDeployment[], request: GatewayRequest): GatewayResponse {
  const key = decoded(pathOf(request)).slice(1);
  const found = deployments.map((deployment) => read(deployment, key)).findLast((each) => each !== undefined);
  if (found === undefined) return denied;
  const { body, cacheControl, contentType = contentTypes[extname(key)] ?? "binary/octet-stream" } = found;
  const etag = `"${createHash("md5").update(body).digest("hex")}"`;
  const headers: Pair[] = [
    ["Content-Type", contentType],
    ...(cacheControl === undefined ? [] : [["Cache-Control", cacheControl] as const]),
    ["ETag", etag],
    ["Server", "AmazonS3"],
  ];
  const isKnown = header(request, "if-none-match")?.replace(/^W\//, "") === etag;
  if (isKnown) return { status: 304, headers, body: Buffer.of() };
  return { status: 200, headers, body };
}

/** Finds a file among the sources, of which later ones take precedence. */
function read({ prefix, sources, copies, ...metadata }: FileDeployment, key: string) {
  const path = key.slice(prefix.length);
  // Leaves out paths that lead out of the folder, or that no file can have.
  const isPath = path !== "" && normalize(`/${path}`) === `/${path}` && !path.includes("\0");
  if (!key.startsWith(prefix) || !isPath || !copies(path)) return undefined;
  const source = sources.findLast(({ folder }) =>
    statSync(join(folder, path), { throwIfNoEntry: false })?.isFile(),
  );
  return source && { body: source.replaceMarkers(readFileSync(join(source.folder, path))), ...metadata };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Documented: without the right to list a bucket, a missing object is a 403. */
const denied: GatewayResponse = {
  status: 403,
  headers: [
    ["Content-Type", "application/xml"],
    ["Server", "AmazonS3"],
  ],
  body: Buffer.from(
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
  ),
};
