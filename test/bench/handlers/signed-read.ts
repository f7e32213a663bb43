/** Makes the minimal read without the SDK: a query signed by hand with AWS Signature Version 4. */
import { createHash, createHmac } from "node:crypto";
import { request } from "node:https";

const {
  AWS_ENDPOINT_URL = "",
  AWS_REGION: region = "",
  AWS_ACCESS_KEY_ID: accessKey = "",
  AWS_SECRET_ACCESS_KEY: secret = "",
  AWS_SESSION_TOKEN: token = "",
} = process.env;
const { host } = new URL(AWS_ENDPOINT_URL);
const target = "DynamoDB_20120810.Query";
const contentType = "application/x-amz-json-1.0";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

function signed(body: string): Record<string, string> {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const headers = {
    "content-type": contentType,
    host,
    "x-amz-date": time,
    "x-amz-security-token": token,
    "x-amz-target": target,
  };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = ["POST", "/", "", lines.join(""), names, sha256(body)].join("\n");
  const scope = `${day}/${region}/dynamodb/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [day, region, "dynamodb", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const credential = `Credential=${accessKey}/${scope}, SignedHeaders=${names}`;
  const signature = hmac(key, text).toString("hex");
  return { ...headers, authorization: `AWS4-HMAC-SHA256 ${credential}, Signature=${signature}` };
}

function post(body: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const sent = request(AWS_ENDPOINT_URL, { method: "POST", headers: signed(body) }, async (response) => {
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    resolve(text);
  });
  sent.on("error", reject).end(body);
  return promise;
}

type Attribute = { S: string } | { N: string };

const plain = (attribute: Attribute) => ("S" in attribute ? attribute.S : Number(attribute.N));

export const handler = async () => {
  const answer = await post(
    JSON.stringify({
      TableName: "table",
      ConsistentRead: true,
      KeyConditionExpression: "PK = :pk AND SK BETWEEN :from AND :to",
      ExpressionAttributeValues: {
        ":pk": { S: "WALLETS#alice" },
        ":from": { S: "WALLET#" },
        ":to": { S: "WALLET#~" },
      },
    }),
  );
  const { Items } = JSON.parse(answer) as { Items: Record<string, Attribute>[] };
  const items = Items.map((item) =>
    Object.fromEntries(Object.entries(item).map(([name, attribute]) => [name, plain(attribute)])),
  );
  return {
    statusCode: 200,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(items),
  };
};
