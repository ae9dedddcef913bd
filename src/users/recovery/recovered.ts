import { NOTHING_RECORDED, type RecordedChanges } from '../../sessions/revocation/session-changes.js'
import { NOTHING_TO_POST, type Posting } from '../notices/posting.js'

/** What a recovery does to others: its changes of sessions, and mails. */
export interface Recovered extends RecordedChanges {
  readonly tell: Posting
}

export const NOTHING_RECOVERED: Recovered = { ...NOTHING_RECORDED, tell: NOTHING_TO_POST }
