import { expect, it } from '@jest/globals'
import type { ExecutionContext } from '@nestjs/common'
import { GUARDS_METADATA } from '@nestjs/common/constants.js'
import { Reflector } from '@nestjs/core'
import {
  type Database,
  EnrolmentRefusal,
  LiveSession,
  MainSite,
  OwnerGuard,
  type Permission,
  PermissionGuard,
  permissionsOf,
} from '../../sources.js'

it('a handler runs its guards in the order of the checks', () => {
  const guardsOf = (decorate: ReturnType<typeof MainSite>) => {
    class Controller {}
    decorate(Controller)
    return (Reflect.getMetadata(GUARDS_METADATA, Controller) as { name: string }[]).map(({ name }) => name)
  }
  expect([
    guardsOf(MainSite({ permission: 'teamManagement' })),
    guardsOf(MainSite({ reauthenticated: true, guard: OwnerGuard })),
    guardsOf(MainSite({ reauthenticated: true, permission: 'payments' })),
    guardsOf(MainSite({ reauthenticated: true, enrolled: true })),
    guardsOf(LiveSession({ enrolled: true })),
    guardsOf(LiveSession({ reauthenticated: true, cookieBound: true })),
  ]).toEqual([
    ['MainSourceGuard', 'WriteLimitGuard', 'PermissionGuard'],
    ['MainSourceGuard', 'WriteLimitGuard', 'OwnerGuard', 'ReauthenticationGuard'],
    ['MainSourceGuard', 'WriteLimitGuard', 'PaymentsPermissionGuard', 'ReauthenticationGuard'],
    ['MainSourceGuard', 'WriteLimitGuard', 'EnrolmentGuard', 'ReauthenticationGuard'],
    ['LiveSessionGuard', 'WriteLimitGuard', 'EnrolmentGuard'],
    ['CookieBoundSessionGuard', 'WriteLimitGuard', 'ReauthenticationGuard'],
  ])
})

it('a method requires the permission of its class too, and none is given where none is named', async () => {
  @MainSite({ permission: 'accountSettings' })
  class Controller {
    @MainSite({ permission: 'teamManagement' })
    handle() {}
  }
  class Unnamed {
    handle() {}
  }
  const guard = new PermissionGuard(
    new Reflector(),
    new EnrolmentRefusal({ run: async () => [{ mustEnrol: false }] } as unknown as Database),
  )
  const ask = async (held: Permission[], of: typeof Unnamed = Controller) => {
    const context = {
      getClass: () => of,
      getHandler: () => of.prototype.handle,
      getArgByIndex: () => ({ session: { permissions: permissionsOf(held) } }),
    }
    return guard.canActivate(context as unknown as ExecutionContext)
  }
  expect(await ask(['accountSettings', 'teamManagement'])).toBe(true)
  for (const held of [['accountSettings'], ['teamManagement']] as Permission[][])
    await expect(ask(held)).rejects.toMatchObject({ code: 'PERMISSION_REQUIRED' })
  await expect(ask(['accountSettings'], Unnamed)).rejects.toMatchObject({ code: 'PERMISSION_REQUIRED' })
})
