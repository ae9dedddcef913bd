import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'

/** Where they are in the repository. */
export const CLIENT_TYPES_FILE = 'packages/client/src/operations.ts'

const HEADER = `/* Written by npm run openapi from docs/openapi.json. */
`

interface Operation {
  responses?: Record<string, unknown>
  parameters?: { in: string }[]
}

/**
 * The types of all operations, as `@mainstay-auth/client/api` reads them: their parameters, bodies and successful
 * answers. A refusal is thrown, whatever the operation; headers are the client's own.
 */
export async function clientTypesOf(document: object): Promise<string> {
  const { paths, components, ...rest } = structuredClone(document) as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: object }
  }
  for (const operation of Object.values(paths).flatMap(path => Object.values(path))) {
    const answers = Object.entries(operation.responses ?? {})
    operation.responses = Object.fromEntries(answers.filter(([status]) => Number(status) < 300))
    operation.parameters = operation.parameters?.filter(parameter => ['path', 'query'].includes(parameter.in))
  }
  const { schemas } = components
  const text = astToString(
    await openapiTS({ ...rest, paths, components: { schemas } } as unknown as OpenAPI3, { immutable: true }),
  )
  return HEADER + text
}
