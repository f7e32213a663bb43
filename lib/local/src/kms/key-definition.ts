import * as v from "valibot";
import { namedProperties, notEmulated, type Resource, readProperties } from "../cloudformation/resource.ts";
import { type KeyPlaces, type KeySpec, usageOfSpec } from "./key-ring.ts";

const specs = Object.keys(usageOfSpec) as KeySpec[];

const Properties = v.looseObject({
  Enabled: v.optional(v.literal(true, "a disabled key")),
  EnableKeyRotation: v.optional(v.boolean(), false),
  KeySpec: v.optional(v.picklist(specs, `must be one of ${specs.join(", ")}`), "SYMMETRIC_DEFAULT"),
  KeyUsage: v.optional(v.string(), "ENCRYPT_DECRYPT"),
  MultiRegion: v.optional(v.boolean(), false),
  Origin: v.optional(v.literal("AWS_KMS", "must be AWS_KMS")),
});

/**
 * Reads the kind of an AWS::KMS::Key, but not its policy, which may refer to resources that refer to the key. A
 * multi-Region key has no replica here, as there is one Region.
 *
 * @throws {StartupError} if something is not emulated or not possible on AWS; the message names the resource
 */
export function readKeyKind(resource: Resource): { spec: KeySpec } & KeyPlaces {
  const properties = namedProperties(resource, Properties);
  const { KeySpec, KeyUsage, EnableKeyRotation, MultiRegion } = readProperties(Properties, {
    ...resource,
    properties,
  });
  if (KeyUsage !== usageOfSpec[KeySpec]) {
    throw notEmulated(resource, `KeyUsage: must be ${usageOfSpec[KeySpec]} for the KeySpec ${KeySpec}`);
  }
  if (EnableKeyRotation && KeySpec !== "SYMMETRIC_DEFAULT") {
    throw notEmulated(resource, `EnableKeyRotation: AWS does not rotate keys of the KeySpec ${KeySpec}`);
  }
  return { spec: KeySpec, isMultiRegion: MultiRegion };
}
