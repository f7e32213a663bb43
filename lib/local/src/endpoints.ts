/** Where the SDK finds the local services: the values of its AWS_ENDPOINT_URL_* variables. */
export type Endpoints = {
  apigateway: string;
  apigatewaymanagementapi: string;
  dynamodb: string;
  kms: string;
  lambda: string;
};

export type Credentials = { accessKeyId: string; secretAccessKey: string };
