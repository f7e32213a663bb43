import type { GetParameterCommandInput, GetParameterCommandOutput } from "@aws-sdk/client-ssm";
import { type ClientSettings, type SendOptions, SignedClient } from "./signed-client.ts";

// Replaces `@aws-sdk/client-ssm` in the functions' bundles.

export class GetParameterCommand {
  readonly input: GetParameterCommandInput;

  constructor(input: GetParameterCommandInput) {
    this.input = input;
  }
}

export class SSMClient {
  readonly #client: SignedClient;

  constructor(settings: ClientSettings) {
    this.#client = new SignedClient("ssm", settings);
  }

  async send(
    { input }: GetParameterCommand,
    options?: SendOptions,
  ): Promise<Pick<GetParameterCommandOutput, "Parameter">> {
    const call = {
      path: "/",
      headers: {
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": "AmazonSSM.GetParameter",
      },
      body: JSON.stringify(input),
    };
    const { body } = await this.#client.send(input, call, options);
    return JSON.parse(body.transformToString());
  }
}
