import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { subscribe } from '../../http/support/api-calls.js'
import { permissionsOf, UserAdministration } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, sendLogin, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import type { TestApp } from '../../support/test-app.js'
import { saw } from '../reliability/saw.js'
import { getCopied } from '../support/copies.js'
import { claimsOf, logout, refreshAsMain } from '../support/requests.js'
import { type Replicas, startReplicasOn } from '../support/store-service.js'
import { whileRefreshing } from '../support/while-refreshing.js'

describe('a Redis that takes no writes', () => {
  let redis: RedisServer
  let service: Replicas
  let app: TestApp
  let other: TestApp

  beforeAll(async () => {
    redis = await startRedis({ args: ['--save', '3600 1'] })
    service = await startReplicasOn(redis.url)
    ;({ app, other } = service)
  })
  afterAll(async () => {
    await service?.stop()
    await redis?.stop()
  })

  const cli = (...command: string[]) => redisCli(redis.port, ...command)

  /** A folder in the place of its file, which it cannot replace. */
  async function fileInTheWay(): Promise<string> {
    const [, folder = ''] = (await cli('CONFIG', 'GET', 'dir')).split('\n')
    return join(folder.trim(), 'dump.rdb')
  }

  async function hasSaved(status: 'ok' | 'err'): Promise<void> {
    await cli('BGSAVE')
    await eventually(async () =>
      (await cli('INFO', 'persistence')).includes(`rdb_last_bgsave_status:${status}`),
    )
  }

  test.each<[string, { fault: string; refuse: () => Promise<unknown>; mend: () => Promise<unknown> }]>([
    [
      'it is cut off from its replicas',
      {
        fault: 'redis-split',
        refuse: () => cli('CONFIG', 'SET', 'min-replicas-to-write', '1'),
        mend: () => cli('CONFIG', 'SET', 'min-replicas-to-write', '0'),
      },
    ],
    [
      'it has no memory left and may not evict',
      {
        fault: 'redis-full',
        refuse: () => cli('CONFIG', 'SET', 'maxmemory', '1'),
        mend: () => cli('CONFIG', 'SET', 'maxmemory', '0'),
      },
    ],
    [
      'it cannot write to its disk',
      {
        fault: 'redis-disk',
        refuse: async () => {
          await rm(await fileInTheWay(), { force: true })
          await mkdir(await fileInTheWay())
          await hasSaved('err')
        },
        mend: async () => {
          await rm(await fileInTheWay(), { recursive: true })
          await hasSaved('ok')
        },
      },
    ],
  ])(
    'refuses nobody, and what is ended or taken meanwhile is so at once: %s',
    async (_, { fault, refuse, mend }) => {
      const owner = await anOwner(app)
      const [live, paying] = [await signIn(app, owner, 'satellite'), await signIn(app, owner, 'main')]
      const ended = await signIn(app, owner, 'satellite')
      const member = await aMember(app, owner)
      const losing = await signIn(app, member, 'main')
      await getCopied(app, live, ended, paying, losing)
      await refuse()
      let lost = 0
      try {
        expect(await sendLogin(app, owner)).toMatchObject({ status: 200 })
        expect(await subscribe(app, paying)).toMatchObject({ status: 201 })
        expect(await logout(app, ended)).toMatchObject({ status: 204 })
        ;({ lost } = await whileRefreshing(
          { apps: [app, other], live: [live, paying], ended: [ended] },
          async () => {
            await app.get(UserAdministration).grant(member, permissionsOf(['viewReports']))
            for (const each of [other, app])
              expect(claimsOf(await refreshAsMain(each, losing)).permissions).toEqual(
                permissionsOf(['viewReports']),
              )
          },
        ))
      } finally {
        await mend()
      }
      await whileRefreshing({ apps: [app, other], live: [live], ended: [ended] }, () => getCopied(app, live))
      saw(fault, { lost })
    },
  )
})
