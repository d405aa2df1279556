// What a judge is asked, and what the judge said. A judgment is kept in the browser until the server has it.

import { ApiError, get, post, type Schemas } from '../../api/client';
import { keep, kept } from '../../storage';

export type Label = Schemas['NewJudgment']['label'];

/** The four answers, from the key 1 on. */
export const LABELS: readonly { label: Label; name: string; hint: string }[] = [
  { label: 'TE', name: 'totally expected', hint: 'anyone would have guessed it' },
  { label: 'E', name: 'expected', hint: 'no surprise' },
  { label: 'U', name: 'unexpected', hint: 'a little surprising' },
  { label: 'TU', name: 'totally unexpected', hint: 'nobody would have guessed it' },
];

export const nameOf = (label: Label): string => LABELS.find((each) => each.label === label)?.name ?? label;

/** A judgment that the server does not have yet. */
type Unsaved = Schemas['NewJudgment'];

export class Session {
  readonly corpus: string;
  readonly judge: string;
  readonly token: string | undefined;

  task = $state.raw<Schemas['JudgeTask']>();
  /** The judgment on its way to the server; with an error it waits for another attempt. */
  unsaved = $state.raw<Unsaved>();
  error = $state.raw<unknown>();
  /** Whether a request is on its way. */
  isBusy = $state(false);
  /** What screen readers say. */
  said = $state('');
  /** Counts what was saved or taken back. */
  changes = $state(0);

  /** Where the browser keeps what is not saved: a place for each judge of each corpus. */
  private readonly place: string;

  constructor(corpus: string, judge: string, token: string | undefined) {
    this.corpus = corpus;
    this.judge = judge;
    this.token = token;
    this.place = `unsaved ${JSON.stringify([corpus, judge])}`;
  }

  /** Asks for the next link, after sending what an earlier visit could not send. */
  async start(): Promise<void> {
    const left = kept(this.place);
    if (left) {
      this.unsaved = JSON.parse(left) as Unsaved;
      return this.send();
    }
    const query = { judge: this.judge, corpus: this.corpus };
    await this.during(async () => {
      this.task = await get('/api/v1/judge/next', query, { token: this.token });
    });
  }

  /** Saves what the judge says of the link on the screen. */
  async say(label: Label): Promise<void> {
    const link = this.task?.link;
    if (!link || this.isBusy || this.unsaved) return;
    this.unsaved = { corpus: this.corpus, judge: this.judge, source: link.source, target: link.target, label };
    keep(this.place, JSON.stringify(this.unsaved));
    await this.send();
  }

  /** Sends the judgment that is not saved yet. */
  async send(): Promise<void> {
    const unsaved = this.unsaved;
    if (unsaved === undefined) return this.start();
    await this.during(async () => {
      this.task = await post('/api/v1/judge/judgments', unsaved, { token: this.token });
      this.forget();
      const { done, total } = this.task;
      const saved = `Saved: ${unsaved.source} to ${unsaved.target}, ${nameOf(unsaved.label)}. ${done} of ${total}.`;
      this.said = `${saved} ${this.nextInWords()}`;
      this.changes += 1;
    });
  }

  /** Gives up the judgment that cannot be saved. */
  async discard(): Promise<void> {
    this.forget();
    await this.start();
  }

  /** Takes back the last judgment. */
  async undo(): Promise<void> {
    if (!this.task?.can_undo || this.isBusy || this.unsaved) return;
    await this.during(async () => {
      const whose = { judge: this.judge, corpus: this.corpus };
      this.task = await post('/api/v1/judge/undo', whose, { token: this.token });
      this.said = `Taken back. ${this.nextInWords()}`;
      this.changes += 1;
    });
  }

  /** Whether the server wants another token. */
  get isRefused(): boolean {
    return this.error instanceof ApiError && [401, 403].includes(this.error.status);
  }

  private nextInWords(): string {
    const link = this.task?.link;
    return link ? `Next: ${link.source} to ${link.target}.` : 'All links are judged.';
  }

  private forget(): void {
    this.unsaved = undefined;
    keep(this.place, '');
  }

  private async during(work: () => Promise<void>): Promise<void> {
    this.isBusy = true;
    this.error = undefined;
    try {
      await work();
    } catch (error) {
      this.error = error;
    } finally {
      this.isBusy = false;
    }
  }
}
