import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'
import { CLIENT_TYPES_FILE, clientTypesOf, previewOpenApi, readSettings } from '../../sources.js'

it('docs/openapi.json is what the code says (npm run openapi writes it anew)', async () => {
  const document = await previewOpenApi(readSettings({ NODE_ENV: 'test' }))
  expect(JSON.parse(await readFile('docs/openapi.json', 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(document)),
  )
})

it('the types of the client are those of docs/openapi.json (npm run openapi writes them anew)', async () => {
  const document = JSON.parse(await readFile('docs/openapi.json', 'utf8'))
  expect(await readFile(CLIENT_TYPES_FILE, 'utf8')).toBe(clientTypesOf(document))
})
