// The two tools of demo_tools, served by the official TypeScript SDK.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const inputSchema = z.object({ a: z.number(), b: z.number() });
const outputSchema = z.object({ result: z.number() });

function answer(result) {
  return { content: [{ type: "text", text: JSON.stringify({ result }) }], structuredContent: { result } };
}

function makeServer() {
  const server = new McpServer({ name: "demo_tools", version: "0.1.0" });
  server.registerTool("add", { description: "Add two numbers.", inputSchema, outputSchema }, ({ a, b }) => answer(a + b));
  server.registerTool("divide", { description: "Divide one number by another.", inputSchema, outputSchema }, ({ a, b }) => {
    if (b === 0) throw new Error(`${a} cannot be divided by zero: pass another b`);
    return answer(a / b);
  });
  return server;
}

serveStdio(makeServer);
