import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import fastify from 'fastify'
import { serveDocs } from '../../sources.js'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'docs-'))
})
afterEach(() => rm(root, { recursive: true }))

it('serves 503 and a page that reloads itself until the documentation is built', async () => {
  await mkdir(join(root, 'docs/.vitepress'), { recursive: true })
  const server = fastify()
  expect(serveDocs(server, root)).toBe(true)
  const early = await server.inject('/docs/')
  expect([early.statusCode, early.headers.refresh]).toEqual([503, '2'])
  expect(early.body).toContain('is being built')
  const built = join(root, 'docs/.vitepress/dist')
  await mkdir(built)
  await writeFile(join(built, 'index.html'), 'Read me')
  const { statusCode, body } = await server.inject('/docs/')
  expect([statusCode, body]).toEqual([200, 'Read me'])
})

it('serves nothing where there is no documentation to build', () => {
  expect(serveDocs(fastify(), root)).toBe(false)
})
