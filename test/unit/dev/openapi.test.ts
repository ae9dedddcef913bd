import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'
import {
  CLIENT_TYPES_FILE,
  clientTypesOf,
  ENDPOINTS,
  endpointsTable,
  pageWithSection,
  previewOpenApi,
  readSettings,
  referencePage,
} from '../../sources.js'

it('docs/openapi.json is what the code says (npm run openapi writes it anew)', async () => {
  const document = await previewOpenApi(readSettings({ NODE_ENV: 'test' }))
  expect(JSON.parse(await readFile('docs/openapi.json', 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(document)),
  )
})

it('says which credentials a request needs together, and where one of several will do (integration 4, 5, 6)', async () => {
  const { paths, tags } = JSON.parse(await readFile('docs/openapi.json', 'utf8'))
  expect(paths['/api/team'].get.security).toEqual([{ accessToken: [], sessionCookie: [] }])
  expect(paths['/api/sessions'].get.security).toEqual([{ accessToken: [] }])
  expect(paths['/api/refresh'].post.security).toEqual([{ sessionCookie: [] }, { sessionId: [] }])
  expect(paths['/api/login'].post.security).toEqual([])
  // A session on a satellite has no cookie.
  expect(paths['/api/password/change'].post.security).toEqual([
    { accessToken: [], sessionCookie: [] },
    { accessToken: [] },
  ])
  // biome-ignore lint/suspicious/noExplicitAny: JSON of our own.
  const operations = Object.values(paths).flatMap(path => Object.values(path as any)) as any[]
  const known = tags.map(({ name }: { name: string }) => name)
  for (const { operationId, security, tags } of operations) {
    expect([operationId, security]).toEqual([operationId, expect.any(Array)])
    expect(known).toEqual(expect.arrayContaining(tags))
  }
})

it('the types of the client are those of docs/openapi.json (npm run openapi writes them anew)', async () => {
  const document = JSON.parse(await readFile('docs/openapi.json', 'utf8'))
  expect(await readFile(CLIENT_TYPES_FILE, 'utf8')).toBe(clientTypesOf(document))
})

it('docs/endpoints.md has every operation of docs/openapi.json (npm run openapi writes it anew)', async () => {
  const document = JSON.parse(await readFile('docs/openapi.json', 'utf8'))
  const page = await readFile(ENDPOINTS.path, 'utf8')
  expect(page).toBe(await pageWithSection(ENDPOINTS, endpointsTable(document)))
  const rows = [...page.matchAll(/^\| `([A-Z]+ \/\S+)` \|/gm)].map(([, endpoint]) => endpoint)
  const operations = Object.entries<object>(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
  )
  expect(rows.sort()).toEqual(operations.sort())
})

/** A document as JSON, as the page at /api/docs shows it. */
function referenceOf(document: string): string {
  return referencePage(JSON.parse(document)).content.text
}

it('the reference has each operation and type of docs/openapi.json once, and no link to what is not there', async () => {
  const document = await readFile('docs/openapi.json', 'utf8')
  const text = referenceOf(document)
  const { paths, components } = JSON.parse(document)
  const ids = [...text.matchAll(/<details id="([^"]+)"/g)].map(([, id]) => id)
  const operations = Object.values<object>(paths).flatMap(path => Object.values(path))
  expect(ids).toEqual([
    ...ids.slice(0, operations.length),
    ...Object.keys(components.schemas).map(name => `type-${name}`),
  ])
  expect(ids.slice(0, operations.length).sort()).toEqual(
    operations.map(({ operationId }) => operationId).sort(),
  )
  const targets = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  const links = [...text.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id)
  expect(links.filter(id => !targets.has(id))).toEqual([])
})

it('the reference takes nothing in the document for HTML', async () => {
  const document = await readFile('docs/openapi.json', 'utf8')
  const hostile = JSON.parse(document, (_, value) =>
    typeof value === 'string' ? `${value}<hostile a="">` : value,
  )
  const text = referenceOf(JSON.stringify(hostile).replaceAll('"/api/', '"/<hostile>/'))
  expect([text.includes('&#60;hostile a=&#34;&#34;&#62;'), text.includes('<hostile')]).toEqual([true, false])
})
