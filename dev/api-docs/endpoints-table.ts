import type { OpenAPIObject } from '@nestjs/swagger'
import type { GeneratedSection } from '../generated-section.js'
import type { Operation } from './document.js'

export const ENDPOINTS: GeneratedSection = { path: 'docs/endpoints.md', title: 'endpoints: npm run openapi' }

/** The credentials, by their names in the document. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  accessToken: 'access token',
  sessionCookie: 'session cookie',
  sessionId: '`X-Session-ID`',
}

/** A line for each operation of the document, in tables by tag, in Markdown for a page of docs/. */
export function endpointsTable({ paths, tags = [] }: OpenAPIObject): string {
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      tag: operation.tags?.[0],
      line: `| \`${method.toUpperCase()} ${path}\` | ${operation.summary} | ${needsOf(operation)} |`,
    })),
  )
  const tables = tags.map(({ name, description }) =>
    [
      `## ${name}\n`,
      `${description}.\n`,
      '| endpoint | what it does | needs |',
      '|---|---|---|',
      ...rows.filter(({ tag }) => tag === name).map(({ line }) => line),
    ].join('\n'),
  )
  return tables.join('\n\n')
}

/** Such as "access token and session cookie"; of several sets of credentials, one will do. */
function needsOf({ security = [] }: Operation): string {
  const sets = security.map(set => Object.keys(set).map(name => CREDENTIALS[name] ?? name))
  return sets.length === 0 ? 'nothing' : sets.map(names => names.join(' and ')).join(', or ')
}
