import type { ReactNode } from 'react'
import type own from '../messages/operator/en.json'
import { type MessageKey, t as translate } from '../pieces/t.js'
import { T as Translated } from '../pieces/text.js'

/** The name of a message that the console can show: one that all sites share, or one of its own. */
export type ConsoleKey = MessageKey | keyof typeof own

/** As on the other pages, but also for the console's own messages. */
export const t = translate as (key: ConsoleKey, values?: Readonly<Record<string, string | number>>) => string

/** As on the other pages, but also for the console's own messages. */
export const T = Translated as (
  props: { readonly id: ConsoleKey } & Readonly<Record<string, ReactNode>>,
) => ReactNode
