import { describe, expect, test } from '@jest/globals'
import { ServingGate } from '../../src/sessions/serving-gate.js'
import { eventually } from '../support/eventually.js'

const UNAVAILABLE = { code: 'SESSION_STORE_UNAVAILABLE' }

/** A replay that waits to be told how it ends, and counts how often it was begun. */
function heldReplay() {
  const held: { succeed: () => void; fail: () => void }[] = []
  const replay = () =>
    new Promise<void>((resolve, reject) => {
      held.push({ succeed: resolve, fail: () => reject(new Error('the store does not answer')) })
    })
  return { replay, held }
}

describe('ServingGate', () => {
  test('is shut until the first replay is done', async () => {
    const { replay, held } = heldReplay()
    const gate = new ServingGate(replay)
    expect(() => gate.assertOpen()).toThrow(expect.objectContaining(UNAVAILABLE))
    const opening = gate.open()
    expect(() => gate.assertOpen()).toThrow(expect.objectContaining(UNAVAILABLE))
    held[0]!.succeed()
    await opening
    expect(await gate.serve(async () => 'served')).toBe('served')
  })

  test('says so when the first replay fails', async () => {
    const { replay, held } = heldReplay()
    const gate = new ServingGate(replay)
    const opening = gate.open()
    held[0]!.fail()
    await expect(opening).rejects.toThrow('the store does not answer')
    expect(() => gate.assertOpen()).toThrow(expect.objectContaining(UNAVAILABLE))
  })

  test('shuts at once when doubt arises, and tries the replay until it succeeds', async () => {
    const { replay, held } = heldReplay()
    const gate = await openGate(replay, held)
    gate.doubt()
    await expect(gate.serve(async () => 'served')).rejects.toMatchObject(UNAVAILABLE)
    held[1]!.fail()
    await eventually(() => held.length === 3)
    expect(() => gate.assertOpen()).toThrow(expect.objectContaining(UNAVAILABLE))
    held[2]!.succeed()
    await eventually(async () => (await gate.serve(async () => 'served')) === 'served')
  })

  test('replays again for doubt that arose during a replay', async () => {
    const { replay, held } = heldReplay()
    const gate = await openGate(replay, held)
    gate.doubt()
    gate.doubt()
    gate.doubt()
    held[1]!.succeed()
    await eventually(() => held.length === 3)
    expect(() => gate.assertOpen()).toThrow(expect.objectContaining(UNAVAILABLE))
    held[2]!.succeed()
    await eventually(async () => (await gate.serve(async () => 'served')) === 'served')
    expect(held).toHaveLength(3)
  })

  test('stays open when the first replay ends after the one that a doubt began meanwhile', async () => {
    const { replay, held } = heldReplay()
    const gate = new ServingGate(replay)
    const opening = gate.open()
    gate.doubt()
    await eventually(() => held.length === 2)
    held[1]!.succeed()
    await eventually(() => isOpen(gate))
    held[0]!.succeed()
    await opening
    expect(await gate.serve(async () => 'served')).toBe('served')
  })

  test('gives no answer that was on its way when doubt arose', async () => {
    const { replay, held } = heldReplay()
    const gate = await openGate(replay, held)
    const answer = gate.serve(async () => {
      gate.doubt()
      held[1]!.succeed()
      await eventually(() => isOpen(gate))
      return 'from a server that may not know'
    })
    await expect(answer).rejects.toMatchObject(UNAVAILABLE)
  })

  test('replays no more once it is closed', async () => {
    const { replay, held } = heldReplay()
    const gate = await openGate(replay, held)
    gate.doubt()
    gate.close()
    held[1]!.fail()
    await new Promise(resolve => setTimeout(resolve, 500))
    expect(held).toHaveLength(2)
  })
})

async function openGate(replay: () => Promise<void>, held: { succeed: () => void }[]): Promise<ServingGate> {
  const gate = new ServingGate(replay)
  const opening = gate.open()
  held[0]!.succeed()
  await opening
  return gate
}

function isOpen(gate: ServingGate): boolean {
  gate.assertOpen()
  return true
}
