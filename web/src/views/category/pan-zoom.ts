// Moving and scaling the picture by pointer, wheel, two fingers and keys; dragging one of its nodes.

export interface View {
  x: number;
  y: number;
  scale: number;
}

const SMALLEST = 0.2;
const LARGEST = 6;
/** A press that moves less than this is a click. */
const SLIP = 4;

/** The view with the point (x, y) of the screen kept in its place. */
export function zoomed(view: View, by: number, x: number, y: number): View {
  const scale = Math.min(Math.max(view.scale * by, SMALLEST), LARGEST);
  const ratio = scale / view.scale;
  return { scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio };
}

export interface Handlers {
  view: () => View;
  change: (view: View) => void;
  /** Fits the whole picture into the frame. */
  fit: () => void;
  /** A node, by its number, was moved to a place of the picture. */
  drag: (node: number, x: number, y: number) => void;
  /** The node was let go of. */
  drop: (node: number) => void;
}

/** Listens on the frame of the picture; nodes carry `data-node`. */
export function panZoom(handlers: Handlers): (frame: SVGSVGElement) => () => void {
  return (frame) => {
    const fingers = new Map<number, { x: number; y: number }>();
    let node: number | undefined;
    let moved = 0;

    const place = (event: MouseEvent): { x: number; y: number } => {
      const box = frame.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const middle = (): { x: number; y: number } => ({ x: frame.clientWidth / 2, y: frame.clientHeight / 2 });

    const listeners: { [Name in keyof SVGElementEventMap]?: (event: SVGElementEventMap[Name]) => void } = {
      pointerdown(event) {
        if (event.button !== 0) return;
        // A second finger ends a drag: two zoom.
        if (node !== undefined && moved >= SLIP) handlers.drop(node);
        const of = event.target instanceof Element ? event.target.closest('[data-node]') : null;
        node = of === null ? undefined : Number(of.getAttribute('data-node'));
        if (fingers.size === 0) moved = 0;
        fingers.set(event.pointerId, place(event));
      },
      pointermove(event) {
        const before = fingers.get(event.pointerId);
        if (before === undefined) return;
        // It was let go of outside of the frame.
        if (event.buttons === 0) return release(event);
        const now = place(event);
        const view = handlers.view();
        moved += Math.hypot(now.x - before.x, now.y - before.y);
        if (moved < SLIP) return;
        // Only now: a captured pointer would take the click away from the node.
        if (!frame.hasPointerCapture(event.pointerId)) frame.setPointerCapture(event.pointerId);
        const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
        if (other !== undefined) {
          const [was, is] = [before, now].map((at) => Math.hypot(at.x - other.x, at.y - other.y));
          if (was !== undefined && is !== undefined && was > 0) {
            const centre = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
            handlers.change(zoomed(view, is / was, centre.x, centre.y));
          }
        } else if (node !== undefined) {
          handlers.drag(node, (now.x - view.x) / view.scale, (now.y - view.y) / view.scale);
        } else {
          handlers.change({ ...view, x: view.x + now.x - before.x, y: view.y + now.y - before.y });
        }
        fingers.set(event.pointerId, now);
      },
      pointerup: release,
      pointercancel: release,
      // After a drag the browser sends a click, which must not follow the node's link.
      click(event) {
        if (moved >= SLIP && event.detail > 0) {
          event.preventDefault();
          event.stopPropagation();
        }
      },
      dragstart(event) {
        event.preventDefault();
      },
      // Without a key the wheel scrolls the page, as it does everywhere else. A pinch on a touchpad is a wheel with Ctrl.
      wheel(event) {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const at = place(event);
        const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
        handlers.change(zoomed(handlers.view(), Math.exp(-event.deltaY * lines * 0.0016), at.x, at.y));
      },
      keydown(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const view = handlers.view();
        const { x, y } = middle();
        const step = 40;
        const keys: Record<string, () => void> = {
          '+': () => handlers.change(zoomed(view, 1.25, x, y)),
          '=': () => handlers.change(zoomed(view, 1.25, x, y)),
          '-': () => handlers.change(zoomed(view, 0.8, x, y)),
          '0': () => handlers.fit(),
          ArrowLeft: () => handlers.change({ ...view, x: view.x + step }),
          ArrowRight: () => handlers.change({ ...view, x: view.x - step }),
          ArrowUp: () => handlers.change({ ...view, y: view.y + step }),
          ArrowDown: () => handlers.change({ ...view, y: view.y - step }),
        };
        const action = keys[event.key];
        if (action === undefined) return;
        event.preventDefault();
        action();
      },
    };

    function release(event: PointerEvent): void {
      fingers.delete(event.pointerId);
      if (node !== undefined && moved >= SLIP) handlers.drop(node);
      node = undefined;
    }

    const entries = Object.entries(listeners) as [string, (event: Event) => void][];
    for (const [name, listen] of entries) {
      // The click is caught on its way down, before the router sees it.
      frame.addEventListener(name, listen, { passive: false, capture: name === 'click' });
    }
    return () => {
      for (const [name, listen] of entries) frame.removeEventListener(name, listen, { capture: name === 'click' });
    };
  };
}
