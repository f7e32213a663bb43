import * as v from "valibot";
import { flag, matching } from "./context-values.ts";

/** Keys of the context that decide whether wallets can outlive their region. */
export const regionContext = {
  multiRegionKey: flag(true),
  replicaRegion: v.optional(matching(/^[a-z]{2}(-[a-z]+)+-\d$/, "a region, such as eu-west-1")),
  walletKeyArn: v.optional(
    matching(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/mrk-[\da-f]{32}$/, "the ARN of a multi-region key"),
  ),
};

type Context = {
  multiRegionKey: boolean;
  replicaRegion?: string | undefined;
  walletKeyArn?: string | undefined;
};

/** Finds contradictions between several values of the key and its replica. */
export function regionProblems({ multiRegionKey, replicaRegion, walletKeyArn }: Context): string[] {
  if (replicaRegion === undefined) return [];
  return [
    ...(multiRegionKey ? [] : ["replicaRegion needs multiRegionKey to be true"]),
    // Only the primary key can be replicated, and walletKeyArn names a replica of another deployment.
    ...(walletKeyArn === undefined ? [] : ["replicaRegion and walletKeyArn exclude each other"]),
  ];
}
