import { fromEnv } from "@aws-sdk/credential-provider-env";

/**
 * Replaces `@aws-sdk/credential-provider-node` in the functions' bundles. Lambda provides credentials in the
 * environment, where the SDK looks first. The rest of its chain (files, SSO, containers) is never used, but would take
 * nearly half of every cold start to load.
 */
export const defaultProvider = fromEnv;
