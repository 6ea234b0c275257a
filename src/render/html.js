// SPDX-License-Identifier: Apache-2.0
(function () {
  'use strict';
  var page = tracefindPage;
  var root = document.documentElement;

  function element(name, text, props) {
    var e = document.createElement(name);
    if (name === 'button')
      e.type = 'button';
    e.textContent = text || '';
    Object.keys(props || {}).forEach(function (key) {
      e.setAttribute(key, props[key]);
    });
    return e;
  }

  function byId(id) {
    return document.getElementById(id);
  }

  function all(selector, from) {
    return Array.from((from || document).querySelectorAll(selector));
  }

  /* ---- light and dark ---- */

  var system = matchMedia('(prefers-color-scheme: dark)');

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === 'dark' : system.matches;
  }

  function addTheme() {
    var button = element('button', '', { id: 'theme' });
    function label() {
      button.textContent = isDark() ? 'Light' : 'Dark';
    }
    button.addEventListener('click', function () {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      label();
    });
    system.addEventListener('change', label);
    label();
    document.querySelector('header').append(button);
  }

  /* ---- the waterfall ---- */

  function level(row) {
    return Number(row.getAttribute('aria-level') || 1);
  }

  function isFolded(row) {
    return Boolean(row.folder) &&
      row.folder.getAttribute('aria-expanded') === 'false';
  }

  function showRows(rows) {
    var limit = Infinity;
    rows.forEach(function (row) {
      var at = level(row);
      if (at <= limit)
        limit = isFolded(row) ? at : Infinity;
      row.hidden = at > limit;
    });
  }

  function fold(rows, row, is) {
    if (!row.folder)
      return false;
    row.folder.setAttribute('aria-expanded', String(!is));
    showRows(rows);
    return true;
  }

  function handle(row) {
    return row.querySelector('summary');
  }

  function step(rows, row, by) {
    var at = rows.indexOf(row) + by;
    while (rows[at] && (rows[at].hidden || !handle(rows[at])))
      at += by;
    if (rows[at])
      handle(rows[at]).focus();
  }

  function toParent(rows, row) {
    var at = rows.indexOf(row);
    var own = level(row);
    while (at > 0 && level(rows[at]) >= own)
      at--;
    if (level(rows[at]) < own && handle(rows[at]))
      handle(rows[at]).focus();
  }

  function rowKey(rows, row, key) {
    if (key === 'ArrowDown')
      step(rows, row, 1);
    else if (key === 'ArrowUp')
      step(rows, row, -1);
    else if (key === 'Home')
      step(rows, { at: -1 }, 1);
    else if (key === 'End')
      step(rows.slice().reverse(), { at: -1 }, 1);
    else if (key === 'ArrowRight')
      fold(rows, row, false);
    else if (key === 'ArrowLeft' && (isFolded(row) || !fold(rows, row, true)))
      toParent(rows, row);
    else if (key !== 'ArrowLeft')
      return false;
    return true;
  }

  function addFolds() {
    var rows = all('.rows > [aria-level]');
    rows.forEach(function (row, i) {
      var next = rows[i + 1];
      var summary = handle(row);
      if (next && level(next) > level(row)) {
        row.folder = element('button', '', {
          'class': 'fold', 'aria-expanded': 'true', 'tabindex': '-1',
          'aria-label': 'spans below ' + row.querySelector('b').textContent
        });
        row.folder.addEventListener('click', function () {
          fold(rows, row, !isFolded(row));
        });
        row.prepend(row.folder);
      }
      if (summary)
        summary.addEventListener('keydown', function (e) {
          if (!e.ctrlKey && !e.metaKey && !e.altKey && rowKey(rows, row, e.key))
            e.preventDefault();
        });
    });
  }

  /* ---- the functions ---- */

  function sortKey(cell) {
    return cell.dataset.v === undefined ?
      cell.textContent.toLowerCase() : Number(cell.dataset.v);
  }

  function compare(a, b) {
    return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
  }

  function Functions(table) {
    this.table = table;
    this.body = table.tBodies[0];
    this.rows = Array.from(this.body.rows);
    this.heads = Array.from(table.tHead.rows[0].cells);
    this.addTools();
    this.heads.forEach(this.addSort, this);
  }

  Functions.prototype.addSort = function (head, column) {
    var self = this;
    var button;
    if (head.className === 'range' || head.className === 'graph')
      return;
    button = element('button', head.textContent);
    head.textContent = '';
    head.append(button);
    button.addEventListener('click', function () {
      self.turn(head, column);
    });
  };

  /* The first order that is of use, its reverse, and that of the ranks. */
  Functions.prototype.turn = function (head, column) {
    var first = head.className === 'num' ? 'descending' : 'ascending';
    var second = first === 'descending' ? 'ascending' : 'descending';
    var was = head.getAttribute('aria-sort');
    var order = !was ? first : was === first ? second : null;
    this.heads.forEach(function (h) {
      h.removeAttribute('aria-sort');
    });
    if (order)
      head.setAttribute('aria-sort', order);
    this.sort(column, order);
  };

  Functions.prototype.sort = function (column, order) {
    var sign = order === 'descending' ? -1 : 1;
    var rows = this.rows;
    if (order)
      rows = rows.map(function (row, at) {
        return { row: row, at: at, key: sortKey(row.cells[column]) };
      }).sort(function (a, b) {
        return sign * compare(a, b) || a.at - b.at;
      }).map(function (item) {
        return item.row;
      });
    this.order = rows;
    this.body.append.apply(this.body, rows);
    this.show();
  };

  Functions.prototype.addTools = function () {
    var self = this;
    var tools = element('div', '', { 'class': 'tools' });
    this.filter = element('input', '', {
      'type': 'search', 'placeholder': 'Filter by name or file',
      'aria-label': 'Filter functions by name or file', 'spellcheck': 'false'
    });
    this.status = element('span', '', { 'role': 'status', 'class': 'hint' });
    this.more = element('button', 'Show all ' + this.rows.length,
                        { 'aria-expanded': 'false' });
    this.first = this.rows.filter(function (row) {
      return !row.classList.contains('more');
    }).length;
    this.order = this.rows;
    this.table.classList.add('all');
    this.filter.addEventListener('input', function () {
      self.show();
    });
    this.more.addEventListener('click', function () {
      self.isWhole = !self.isWhole;
      self.show();
    });
    tools.append(this.filter, this.more, this.status);
    this.table.parentNode.before(tools);
    this.show();
  };

  /* As many as at first, whatever their order; with a filter all of it. */
  Functions.prototype.show = function () {
    var wanted = this.filter.value.trim().toLowerCase();
    var whole = this.isWhole || wanted !== '';
    var shown = 0;
    this.order.forEach(function (row) {
      var is = row === this.marked ||
        (whole || shown < this.first) && (!wanted ||
        filterText(row).indexOf(wanted) >= 0);
      row.hidden = !is;
      shown += is;
    }, this);
    this.more.hidden = this.first === this.rows.length || wanted !== '';
    this.more.textContent = this.isWhole ?
      'Show the first ' + this.first : 'Show all ' + this.rows.length;
    this.more.setAttribute('aria-expanded', String(Boolean(this.isWhole)));
    this.status.textContent = shown + ' of ' + this.rows.length + ' functions';
  };

  /* Name and file, without the function that it passes on. */
  function filterText(row) {
    return Array.from(row.cells[0].children).filter(function (part) {
      return !part.classList.contains('through');
    }).map(function (part) {
      return part.textContent;
    }).join(' ').toLowerCase();
  }

  Functions.prototype.nameOf = function (row) {
    return row.cells[0].firstElementChild.textContent;
  };

  /* Its row is shown wherever it stands. Null: none any more. */
  Functions.prototype.mark = function (key) {
    var self = this;
    if (this.marked)
      this.marked.removeAttribute('aria-current');
    this.marked = key && this.rows.find(function (row) {
      return page.functionKey(self.nameOf(row)) === key;
    });
    if (this.marked)
      this.marked.setAttribute('aria-current', 'true');
    this.show();
  };

  Functions.prototype.link = function () {
    var self = this;
    this.body.addEventListener('click', function (e) {
      var link = e.target.closest('a[href="#flame"]');
      if (!link)
        return;
      page.select({ 'function': link.textContent }, 'functions');
      document.dispatchEvent(new CustomEvent('tracefind-find',
                                             { detail: link.textContent }));
    });
    document.addEventListener('tracefind-found', function (e) {
      page.select({ 'function': e.detail && e.detail.function }, 'flame', true);
    });
    page.onSelect(function (now) {
      self.mark(now['function']);
    });
    this.mark(page.selected()['function']);
  };

  /* ---- commands ---- */

  function select(node) {
    var range = document.createRange();
    range.selectNodeContents(node);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  }

  /* Where nobody may write the clipboard the text is selected, at least. */
  function copy(code, button) {
    function say(text) {
      button.textContent = text;
      setTimeout(function () {
        button.textContent = 'Copy';
      }, 2000);
    }
    function fallBack() {
      select(code);
      say(document.execCommand('copy') ? 'Copied' : 'Selected');
    }
    if (!navigator.clipboard)
      return fallBack();
    return navigator.clipboard.writeText(code.textContent).then(function () {
      say('Copied');
    }, fallBack);
  }

  function addCopy(pre) {
    var button = element('button', 'Copy', { 'aria-live': 'polite' });
    var line = element('div', '', { 'class': 'command' });
    button.addEventListener('click', function () {
      copy(pre.firstElementChild, button);
    });
    pre.before(line);
    line.append(pre, button);
  }

  addTheme();
  addFolds();
  if (byId('table'))
    new Functions(byId('table')).link();
  all('#commands pre').forEach(addCopy);
  document.addEventListener('toggle', function (e) {
    all('td > pre', e.target).forEach(addCopy);
  }, true);
  page.reveal(page.address.get('view'));
}());
