import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import * as v from "valibot";
import { type Request, type Success, schemas } from "../api/operation-schemas.ts";
import { operations, type RestOperationName } from "../operations.ts";
import { answer, answerError, errorAnswer } from "./answer.ts";
import { withCors } from "./cors.ts";
import { readRequest } from "./request.ts";

/** Who calls, as the authorizer has found, and when. */
export type Call = { userID: string; now: Date };

type UseCase<Name extends RestOperationName> = (request: Request<Name> & Call) => Promise<Success<Name>>;

/**
 * The ring around every REST function: parses the request by the operation's schemas, runs the use case, sends of its
 * result only what the schema lists, and tells errors in the operation's own form.
 */
export function rest<Name extends RestOperationName>(name: Name, useCase: UseCase<Name>) {
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const now = new Date();
    try {
      const userID: string = event.requestContext.authorizer?.principalId;
      const result = await useCase({ ...readRequest(name, event), userID, now });
      return withCors(event, answer(200, v.parse(schemas[name].success, result)));
    } catch (error) {
      return withCors(event, answerError(operations[name], errorAnswer(name, error), now));
    }
  };
}
