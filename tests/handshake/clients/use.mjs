// Uses a server by the official TypeScript client 1.x, which knows nothing but the handshake: `use.mjs PLAN`.
// The plan and what comes of it are JSON: see handshake.clients. Runs in a folder where that client is installed.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.cwd() + "/"));
const load = (path) => import(pathToFileURL(require.resolve("@modelcontextprotocol/sdk/" + path)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const types = await load("types.js");

const plan = JSON.parse(process.argv[2]);
const told = [];
const [command, ...args] = plan.command;
const transport = new StdioClientTransport({ command, args, env: { ...process.env, ...plan.env }, stderr: "ignore" });
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
const client = new Client({ name: "use", version: "1" }, { capabilities });

client.setRequestHandler(types.ElicitRequestSchema, (request) => {
  told.push(`elicitation: ${request.params.message}`);
  return plan.elicitation;
});
client.setRequestHandler(types.CreateMessageRequestSchema, () => {
  told.push("sampling");
  return { role: "assistant", content: { type: "text", text: "Paris" }, model: "m", stopReason: "endTurn" };
});
client.setRequestHandler(types.ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///work", name: "Work" }] }));
client.fallbackNotificationHandler = async (notification) => told.push(notification.method);
client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => {
  told.push(`${params.level}: ${params.data}`);
});

const results = {
  ping: types.EmptyResultSchema,
  "logging/setLevel": types.EmptyResultSchema,
  "resources/subscribe": types.EmptyResultSchema,
  "resources/unsubscribe": types.EmptyResultSchema,
  "prompts/list": types.ListPromptsResultSchema,
  "prompts/get": types.GetPromptResultSchema,
  "resources/list": types.ListResourcesResultSchema,
  "resources/templates/list": types.ListResourceTemplatesResultSchema,
  "resources/read": types.ReadResourceResultSchema,
  "completion/complete": types.CompleteResultSchema,
};

await client.connect(transport);
const outcomes = [];
for (const [method, params] of plan.steps) {
  try {
    if (method === "tools/call") {
      outcomes.push(await client.callTool(params, undefined, { onprogress: () => told.push("progress") }));
    } else if (method === "tools/list") {
      outcomes.push(await client.listTools(params)); // remembers the schemas that callTool holds results against
    } else {
      outcomes.push(await client.request({ method, params }, results[method]));
    }
  } catch (error) {
    outcomes.push({ error: { code: error.code, message: error.message, data: error.data } });
  }
}
const introduction = {
  capabilities: client.getServerCapabilities(),
  serverInfo: client.getServerVersion(),
  instructions: client.getInstructions(),
};
await client.close();
console.log(JSON.stringify({ introduction, results: outcomes, told }));
