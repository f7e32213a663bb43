import { RemovalPolicy } from "aws-cdk-lib";

/**
 * Keeps a resource when its stack is deleted. Only if the deployment that creates it fails is it deleted, so that a
 * second try starts from scratch.
 */
export const retained = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
