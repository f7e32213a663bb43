import type { InvokeCommandInput, InvokeCommandOutput } from "@aws-sdk/client-lambda";
import { extendedEncodeURIComponent } from "@smithy/core/protocols";
import { type ClientSettings, type SendOptions, SignedClient } from "./signed-client.ts";

// Replaces `@aws-sdk/client-lambda` in the functions' bundles.

type Input = Pick<InvokeCommandInput, "FunctionName" | "InvocationType"> & { Payload: string };

export class InvokeCommand {
  readonly input: Input;

  constructor(input: Input) {
    this.input = input;
  }
}

export class LambdaClient {
  readonly #client: SignedClient;

  constructor(settings: ClientSettings) {
    this.#client = new SignedClient("lambda", settings);
  }

  async send({ input }: InvokeCommand, options?: SendOptions): Promise<Partial<InvokeCommandOutput>> {
    const { FunctionName = "", InvocationType, Payload } = input;
    const call = {
      path: `/2015-03-31/functions/${extendedEncodeURIComponent(FunctionName)}/invocations`,
      headers: {
        "content-type": "application/octet-stream",
        ...(InvocationType && { "x-amz-invocation-type": InvocationType }),
      },
      body: Payload,
    };
    const { $metadata, headers, body } = await this.#client.send(input, call, options);
    return {
      $metadata,
      StatusCode: $metadata.httpStatusCode,
      FunctionError: headers["x-amz-function-error"],
      ...(body.length > 0 && { Payload: body }),
    };
  }
}
