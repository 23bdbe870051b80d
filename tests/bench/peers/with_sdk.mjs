// The two tools of demo_tools, served by the official TypeScript SDK.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "demo_tools", version: "0.1.0" });
const inputSchema = { a: z.number(), b: z.number() };
const outputSchema = { result: z.number() };

function answer(result) {
  return { content: [{ type: "text", text: JSON.stringify({ result }) }], structuredContent: { result } };
}

server.registerTool("add", { description: "Add two numbers.", inputSchema, outputSchema }, ({ a, b }) => answer(a + b));
server.registerTool("divide", { description: "Divide one number by another.", inputSchema, outputSchema }, ({ a, b }) => {
  if (b === 0) throw new Error(`${a} cannot be divided by zero: pass another b`);
  return answer(a / b);
});

await server.connect(new StdioServerTransport());
