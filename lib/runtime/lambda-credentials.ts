import { fromEnv } from "@aws-sdk/credential-provider-env";

/**
 * Replaces `@aws-sdk/credential-provider-node` in the functions' bundles. Lambda provides credentials in the
 * environment, where the SDK looks first. The rest of its chain (files, SSO, containers) is never used, but loading it
 * would take nearly half of every cold start.
 */
export const defaultProvider = fromEnv;
