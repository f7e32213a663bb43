import { RemovalPolicy } from "aws-cdk-lib";

/**
 * For what must outlive its stack. It is deleted only if the deploy that creates it fails, so that a second try starts
 * from nothing.
 */
export const retained = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
