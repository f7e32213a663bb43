import { RemovalPolicy } from "aws-cdk-lib";

/**
 * Keeps a resource when its stack is deleted. The resource is deleted only if the deployment that creates it fails, so
 * that a second try starts from scratch.
 */
export const retained = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
