import * as v from "valibot";
import type { Assembly } from "../cloudformation/assembly.ts";
import { notEmulated, type Resource, readProperties, resolved } from "../cloudformation/resource.ts";
import { functionArn } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { wildcard } from "../wildcard.ts";

/** Folders whose files CDK's deployment of files copies into a bucket. */
export type FileDeployment = {
  bucket: string;
  /** Start of each key, which is empty or ends with a slash. */
  prefix: string;
  sources: readonly { folder: string; replaceMarkers: (body: Buffer) => Buffer }[];
  /** True if a file is copied, given its path in its folder. */
  copies: (path: string) => boolean;
  cacheControl: string | undefined;
  /** Content type of all files. If undefined, that of each follows from its name. */
  contentType: string | undefined;
};

export const deploymentType = "Custom::CDKBucketDeployment";

const names = v.optional(v.array(v.string()), []);

/** Schema of the properties that the runner emulates. It is strict, so that no property is ignored silently. */
const Properties = v.strictObject({
  ServiceToken: v.string(),
  SourceBucketNames: v.array(v.string()),
  SourceObjectKeys: v.array(v.string()),
  SourceMarkers: v.optional(v.array(v.record(v.string(), v.string())), []),
  SourceMarkersConfig: v.optional(
    v.array(v.strictObject({ jsonEscape: v.optional(v.boolean(), false) })),
    [],
  ),
  DestinationBucketName: v.string(),
  DestinationBucketKeyPrefix: v.optional(v.string(), ""),
  Exclude: names,
  Include: names,
  SystemMetadata: v.optional(
    v.strictObject({ "cache-control": v.optional(v.string()), "content-type": v.optional(v.string()) }),
    {},
  ),
  // Properties without effect on a bucket that is filled once.
  OutputObjectKeys: v.optional(v.boolean()),
  Prune: v.optional(v.boolean()),
  RetainOnDelete: v.optional(v.boolean()),
  WaitForDistributionInvalidation: v.optional(v.boolean()),
});

/** @throws {StartupError} if a deployment has something that is not emulated; the message names both */
export function readDeployments(
  resources: Resources,
  { assetFolder }: Pick<Assembly, "assetFolder">,
): FileDeployment[] {
  return resources.ofType(deploymentType).map((resource) => {
    const properties = readProperties(Properties, resolved(resource));
    const { SourceObjectKeys, SourceMarkers, SourceMarkersConfig, Exclude, Include } = properties;
    const sources = SourceObjectKeys.map((key, at) => {
      const folder = assetFolder(key);
      if (folder === undefined) throw notEmulated(resource, `the source ${key}, which is no folder`);
      const isJson = SourceMarkersConfig[at]?.jsonEscape ?? false;
      return { folder, replaceMarkers: markersOf(SourceMarkers[at] ?? {}, isJson) };
    });
    const prefix = properties.DestinationBucketKeyPrefix.replace(/^\/$/, "").replace(/(?<=[^/])$/, "/");
    return {
      bucket: properties.DestinationBucketName,
      prefix,
      sources,
      copies: filterOf(Exclude, Include),
      cacheControl: properties.SystemMetadata["cache-control"],
      contentType: properties.SystemMetadata["content-type"],
    };
  });
}

/** Replaces placeholders for values that are known only when stacks are deployed. */
function markersOf(markers: Readonly<Record<string, string>>, isJson: boolean) {
  const values = Object.entries(markers).map(
    ([marker, value]) => [marker, isJson ? JSON.stringify(value).slice(1, -1) : value] as const,
  );
  if (values.length === 0) return (body: Buffer) => body;
  return (body: Buffer) =>
    Buffer.from(values.reduce((text, [marker, value]) => text.replaceAll(marker, () => value), String(body)));
}

/** Documented for `aws s3 sync`: all files are included at first, and filters that come later take precedence. */
function filterOf(exclude: readonly string[], include: readonly string[]): FileDeployment["copies"] {
  const [excluded, included] = [exclude, include].map((patterns) => patterns.map((each) => wildcard(each)));
  return (path) =>
    included?.some((pattern) => pattern.test(path)) || !excluded?.some((pattern) => pattern.test(path));
}

/** True for CDK's own function that copies files, which the runner replaces. */
export function isDeploymentFunction(resources: Resources, resource: Resource): boolean {
  const arn = functionArn(resource);
  return resources.ofType(deploymentType).some(({ property }) => property("ServiceToken") === arn);
}
